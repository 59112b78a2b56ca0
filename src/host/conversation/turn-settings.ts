import type { TurnId } from "../../core/base/ids.ts";
import type { JsonObject } from "../../core/base/json.ts";
import type { ModelRequest } from "../../core/model/request.ts";
import type { Store, StoreWrite } from "../../core/port/store.ts";
import type { TurnSettings } from "../../core/turn/settings.ts";

/** What is sent differently in one turn; its model stands in its run, and each of several replies has a run of its own. */
type AskedSettings = Pick<TurnSettings, "maxTokens" | "temperature">;

/** A turn that begins, and how it asks the model. */
export interface BegunTurn {
  readonly turnId: TurnId;
  readonly settings: TurnSettings;
}

/** Stores how a turn that begins asks the model, so that it asks the same way after a restart. */
export function settingsWrites(begun: BegunTurn | null): readonly StoreWrite[] {
  if (begun === null) return [];
  const { maxTokens, temperature } = begun.settings;
  const value = { ...(maxTokens !== undefined && { maxTokens }), ...(temperature !== undefined && { temperature }) };
  return Object.keys(value).length === 0 ? [] : [{ type: "put-meta", key: keyOf(begun.turnId), value }];
}

/** How a turn asks the model, as it was stored when it began. */
export async function settingsOfTurn(store: Pick<Store, "meta">, turnId: TurnId): Promise<AskedSettings> {
  return readSettings((await store.meta(keyOf(turnId))) ?? {});
}

/** The request as the settings have it: their bound of the reply holds where it is the lower one. */
export function withSettings(request: ModelRequest, { maxTokens, temperature }: AskedSettings): ModelRequest {
  return {
    ...request,
    maxTokens: Math.min(request.maxTokens, maxTokens ?? request.maxTokens),
    ...(temperature === undefined ? {} : { temperature }),
  };
}

function readSettings({ maxTokens, temperature }: JsonObject): AskedSettings {
  return {
    ...(typeof maxTokens === "number" ? { maxTokens } : {}),
    ...(typeof temperature === "number" ? { temperature } : {}),
  };
}

function keyOf(turnId: TurnId): string {
  return `turn-settings/${turnId}`;
}
