import { buildCatalogue } from "../../src/adapters/providers/catalogue.ts";
import { isJsonObject, type JsonObject } from "../../src/core/base/json.ts";
import { textOf } from "../../src/core/message/content.ts";
import type { ModelRequest } from "../../src/core/model/request.ts";
import type { StreamPart } from "../../src/core/model/stream-part.ts";
import { Studio, accepted, type Mind, type Move } from "../../src/host/canvas/canvas.test-support.ts";
import { type MockProvider, startMockProvider } from "../../src/testing/mock-provider/server.ts";
import type { WireName } from "../../src/testing/mock-provider/wires.ts";
import { simulatedClock, type SimulatedClock } from "../../src/testing/simulated-clock.ts";
import { noSleep } from "./test-deps.ts";

/** One wire format, with a model behind it. */
export interface WiredProvider {
  readonly api: WireName;
  readonly model: string;
}

/** The formats, each with the name of a model that speaks it. */
export const wiredProviders: readonly WiredProvider[] = [
  { api: "anthropic", model: "anthropic/claude-sonnet-5" },
  { api: "chat", model: "local/house-model" },
  { api: "responses", model: "openai/gpt-5.5" },
  { api: "gemini", model: "google/gemini-3-flash-preview" },
  { api: "interactions", model: "steps/gemini-3-flash-preview" },
];

/**
 * A studio whose models are reached over HTTP, each in its own format, at strict servers that answer with the studio's
 * mind.
 */
export interface WiredStudio {
  readonly studio: Studio;
  readonly clock: SimulatedClock;
  /** Faults found in any request. */
  rejections(): readonly string[];
  /** The bodies of the requests to one of them since it opened. */
  bodies(api: WireName): readonly JsonObject[];
  use(model: string): Promise<void>;
  close(): Promise<void>;
}

/** Opens the servers once, and studios on them one after the other. */
export async function openWiredStudios(): Promise<{
  open(text: string): Promise<WiredStudio>;
  close(): Promise<void>;
}> {
  let current: Studio | null = null;
  const mocks = new Map<WireName, MockProvider>();
  const urlOf = (api: WireName): string => mocks.get(api)?.url ?? "";
  for (const { api } of wiredProviders) {
    const reply = (request: ModelRequest, signal: AbortSignal): AsyncIterable<StreamPart> => {
      if (current === null) throw new Error("no studio is open");
      return current.play(request, signal);
    };
    mocks.set(api, await startMockProvider({ api, reply }));
  }
  return {
    async open(text) {
      const clock = simulatedClock();
      const catalogue = buildCatalogue(
        {
          keys: { anthropic: "key", openai: "key", google: "key" },
          addresses: {
            anthropic: urlOf("anthropic"),
            openai: `${urlOf("responses")}/v1`,
            google: urlOf("gemini"),
          },
          compatibleBaseUrl: `${urlOf("chat")}/v1`,
          compatibleModel: "house-model",
          entries: [
            { provider: "local", id: "house-model", contextTokensMax: 200_000, outputTokensMax: 8_192 },
            {
              provider: "steps",
              id: "gemini-3-flash-preview",
              api: "gemini-interactions",
              baseUrl: urlOf("interactions"),
              contextTokensMax: 1_000_000,
              outputTokensMax: 8_192,
            },
          ],
        },
        { fetch: (url, init) => fetch(url, init), clock, sleep: noSleep },
      );
      const studio = await Studio.open(text, { catalogue, clock });
      current = studio;
      const before = new Map([...mocks].map(([api, mock]) => [api, mock.requests.length]));
      const rejected = new Map([...mocks].map(([api, mock]) => [api, mock.rejections.length]));
      return {
        studio,
        clock,
        rejections: () => [...mocks].flatMap(([api, mock]) => mock.rejections.slice(rejected.get(api))),
        bodies: (api) => (mocks.get(api)?.requests ?? []).slice(before.get(api)).map(({ body }) => body),
        use: async (model) => {
          accepted(await studio.workspace.conversations.setModel({ rootId: studio.rootId, model }));
        },
        close: () => studio.close(),
      };
    },
    close: async () => void (await Promise.all([...mocks.values()].map((mock) => mock.close()))),
  };
}

/** The last tool's answer, as the model read it; empty before the first. */
function lastResult(request: ModelRequest): JsonObject {
  const said = request.messages.findLast((message) => message.role === "tool");
  const parsed: unknown = said === undefined ? {} : JSON.parse(textOf(said));
  return isJsonObject(parsed) ? parsed : {};
}

/** A model's step for one request; `last` is the last tool's answer, `leaseId` the last check-out's. */
export type Step = (last: JsonObject, leaseId: string) => Move | Promise<Move>;

/** A mind that takes steps in order, each with the last answer received, and then says that it is done. */
export function stepping(...steps: readonly Step[]): { readonly mind: Mind; readonly heard: JsonObject[] } {
  const heard: JsonObject[] = [];
  let next = 0;
  let lease = "";
  const mind: Mind = async (request) => {
    const last = lastResult(request);
    if (next > 0) heard.push(last);
    const { lease_id: leaseId } = last;
    if (typeof leaseId === "string") lease = leaseId;
    const step = steps[next];
    next += 1;
    return step === undefined ? { say: "Done." } : step(last, lease);
  };
  return { mind, heard };
}

/** A call of a canvas tool under the lease of the last check-out. */
export function canvasCall(name: string, parameters: JsonObject = {}): Step {
  return (_last, leaseId) => ({ call: `canvas_${name}`, with: { lease_id: leaseId, ...parameters } });
}

export const checksOut: Step = () => ({ call: "canvas_check_out" });
