/** Messages of one connection that are handled at once in one iteration of the event loop. */
const atOnceMax = 8;
/** Messages beyond that, of all connections together, that are handled in one iteration. */
const laterMax = 64;

/** Whose messages they are. */
export interface Handling<Message> {
  handle(message: Message): void;
}

/** The messages of one connection, in their order. */
export interface Inbox<Message> {
  take(message: Message): void;
  /** The connection is closed: calls `then` when what waits has been handled, in its turns. */
  end(then: () => void): void;
}

/**
 * Reads many connections side by side. What a connection sends in one piece beyond a few messages waits, and is handled in
 * turns with what others sent, a little in each iteration of the event loop. So a keystroke that arrives does not wait for a
 * thousand messages that were here before it.
 */
export class Inboxes {
  /** The iteration of the event loop, as far as anything was read in it. */
  #iteration = 0;
  #isScheduled = false;
  readonly #waiting: Waiting[] = [];
  /** The same for all: an idle connection shall cost little. */
  readonly #turns: Turns = {
    iteration: () => this.#current(),
    wait: (inbox) => void this.#waiting.push(inbox),
  };

  open<Message>(handling: Handling<Message>): Inbox<Message> {
    return new WaitingInbox(handling, this.#turns);
  }

  #current(): number {
    if (!this.#isScheduled) {
      this.#isScheduled = true;
      setImmediate(() => this.#next());
    }
    return this.#iteration;
  }

  #next(): void {
    this.#isScheduled = false;
    this.#iteration += 1;
    const share = Math.max(1, Math.floor(laterMax / this.#waiting.length));
    for (let left = laterMax, looked = this.#waiting.length; left > 0 && looked > 0; left -= share, looked -= 1) {
      const inbox = this.#waiting.shift();
      if (inbox?.handleSome(share) === true) this.#waiting.push(inbox);
    }
    if (this.#waiting.length > 0) this.#current();
  }
}

interface Waiting {
  /** Handles the next messages; returns whether more wait. */
  handleSome(count: number): boolean;
}

interface Turns {
  iteration(): number;
  wait(inbox: Waiting): void;
}

class WaitingInbox<Message> implements Inbox<Message>, Waiting {
  readonly #handling: Handling<Message>;
  readonly #turns: Turns;
  /** null: none waits. */
  #messages: Message[] | null = null;
  #then: (() => void) | null = null;
  #iteration = -1;
  #handled = 0;

  constructor(handling: Handling<Message>, turns: Turns) {
    this.#handling = handling;
    this.#turns = turns;
  }

  take(message: Message): void {
    if (this.#messages === null && this.#isFree()) {
      this.#handling.handle(message);
      return;
    }
    if (this.#messages === null) this.#turns.wait(this);
    this.#messages ??= [];
    this.#messages.push(message);
  }

  handleSome(count: number): boolean {
    const some = this.#messages?.splice(0, count) ?? [];
    for (const message of some) this.#handling.handle(message);
    if (this.#messages !== null && this.#messages.length > 0) return true;
    this.#messages = null;
    this.#then?.();
    return false;
  }

  end(then: () => void): void {
    if (this.#messages === null) then();
    else this.#then = then;
  }

  #isFree(): boolean {
    const iteration = this.#turns.iteration();
    if (iteration !== this.#iteration) this.#handled = 0;
    this.#iteration = iteration;
    this.#handled += 1;
    return this.#handled <= atOnceMax;
  }
}
