import type { ModelFailure } from "../../../core/model/failure.ts";
import type { Decoded } from "./codec.ts";

/** Ends a reply as failed: nothing after the failure is read. */
export function failReply<State extends { readonly ended: boolean }>(
  state: State,
  failure: ModelFailure,
): Decoded<State> {
  return { state: { ...state, ended: true }, parts: [{ type: "failed", failure }] };
}
