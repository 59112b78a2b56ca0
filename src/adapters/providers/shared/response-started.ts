import type { StreamPart } from "../../../core/model/stream-part.ts";

/** Returns the part that starts a reply, with the provider's names of the reply and the model. */
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
