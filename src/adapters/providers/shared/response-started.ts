import type { StreamPart } from "../../../core/model/stream-part.ts";

/** The part that begins a reply, with the names that the provider gave it and the model. */
export function responseStarted(said: {
  readonly id: string | undefined;
  readonly model: string | undefined;
}): StreamPart {
  return {
    type: "response-started",
    ...(said.id === undefined ? {} : { id: said.id }),
    ...(said.model === undefined ? {} : { model: said.model }),
  };
}
