import type { IncomingMessage, ServerResponse } from "node:http";
import type { Refusal } from "../../core/base/errors.ts";
import type { JsonObject } from "../../core/base/json.ts";
import type { Result } from "../../core/base/result.ts";
import type { SignInParts } from "./sign-in-parts.ts";
import type { Session } from "./sessions.ts";

/** One request below `/auth`, with what it carries. */
export interface Asked {
  readonly parts: SignInParts;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly session: Session | null;
  readonly network: string;
  readonly body: JsonObject;
}

/** One of Heddle's own addresses below `/auth`. */
export type OwnRoute = readonly [method: "GET" | "POST", perform: (asked: Asked) => Promise<Result<unknown, Refusal>>];
