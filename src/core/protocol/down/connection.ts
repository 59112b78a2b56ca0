import * as v from "valibot";
import type { RequestId } from "../../base/ids.ts";
import { actor, replica, downRefusal, serverId, whole } from "./shapes.ts";

export const welcomeMessage = v.object({
  type: v.literal("welcome"),
  protocol: whole,
  bootId: v.string(),
  replica,
  actor,
});

export const pushedMessage = v.object({ type: v.literal("pushed"), requestId: serverId<RequestId>(), version: whole });

export const answerMessage = v.object({
  type: v.literal("answer"),
  requestId: serverId<RequestId>(),
  answer: v.unknown(),
});

export const refusedMessage = v.object({
  type: v.literal("refused"),
  requestId: v.nullable(serverId<RequestId>()),
  refusal: downRefusal,
});

export const terminatedMessage = v.object({ type: v.literal("terminated"), refusal: downRefusal });

export const pongMessage = v.object({ type: v.literal("pong") });
