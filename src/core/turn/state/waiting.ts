import type { Actor } from "../../base/actor.ts";
import type { NodeId, RunId } from "../../base/ids.ts";
import type { UserMessage } from "../../message/types.ts";
import type { TurnSettings } from "./settings.ts";

/** How a message is delivered while its run is at work. */
export const deliveries = [
  /** At the next boundary of the turn: after the results of the round, or after a reply without calls. */
  "steer",
  /** Once the run is idle. */
  "queue",
  /** At once: the turn is stopped for it. */
  "interrupt",
  /** Not at all: the sender gets the code of the state. */
  "refuse",
] as const;

export type Delivery = (typeof deliveries)[number];

/** A person's message that waits for a boundary of its run's turn, or for its end. */
export interface WaitingMessage {
  /** The id that its node will have. */
  readonly id: NodeId;
  readonly runId: RunId;
  /** Orders the waiting messages of a run, the lowest first. */
  readonly place: number;
  /** Rises with each change of the message, from 1; a change names the version it was made on. */
  readonly version: number;
  /** A held message is not sent by itself: a stop or an error came before it, or a person is editing it. */
  readonly state: "waiting" | "held";
  readonly deliver: "steer" | "queue";
  readonly message: UserMessage;
  readonly actor: Actor;
  /** How the message's turn asks the model, as settled when the message was sent. */
  readonly settings?: TurnSettings;
  /** When it was sent, UTC milliseconds. */
  readonly at: number;
}

/** A waiting message as an event of the machine carries it. */
export type Steer = Pick<WaitingMessage, "id" | "message">;

/** The messages that an event brings to a boundary. */
export interface BringsSteers {
  /** The messages that wait to steer the turn, in their order; absent for none. */
  readonly steers?: readonly Steer[];
}

/** The most messages that wait for one run, and the most characters (UTF-16 units) of their texts together. */
export const waitingMax = 20;
export const waitingUnitsMax = 64_000;
