import type { BlockId, RootId } from "../../../core/base/ids.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import type { ResourceName } from "./resource-uri.ts";

/** The shortest time between two notices about one resource: at most five in any second. Milliseconds. */
const noticeMs = 300;

/** Tells whether somebody may hear now that a resource changed; for the feed, through which blocks. */
export type MayHear = (blockIds: readonly BlockId[]) => Promise<boolean>;

/** Somebody who listens to an address. */
export interface Listener {
  /** Whether the notice that is being sent is for them as well: something changed that they may know of. */
  take(): boolean;
  stop(): void;
}

/** One address that clients have subscribed to. */
interface Subscribed {
  readonly name: ResourceName;
  readonly listeners: Set<{ readonly mayHear: MayHear; isDue: boolean }>;
  /** Whether something changed since the last notice. */
  isDue: boolean;
  cancelTimer: (() => void) | null;
  stop: () => void;
}

/** Notifies of changes of the resources that somebody has subscribed to; says that, not what: the reader reads. */
export class Subscriptions {
  readonly #workspace: Workspace;
  readonly #publish: (uri: string) => void;
  readonly #byUri = new Map<string, Subscribed>();
  readonly #stopChanges: () => void;

  constructor(workspace: Workspace, publish: (uri: string) => void) {
    this.#workspace = workspace;
    this.#publish = publish;
    this.#stopChanges = workspace.hub.feeds.changes.subscribe((changes) => {
      if (this.#byUri.size === 0) return;
      const blockIds = [...new Set(changes.map(({ blockId }) => blockId))];
      for (const [uri, subscribed] of this.#byUri) {
        const { type, ...name } = subscribed.name;
        const isAbout = type === "feed" || ("id" in name && blockIds.includes(name.id as BlockId));
        if (isAbout) this.#changed(uri, subscribed, blockIds);
      }
    });
  }

  /** Subscribes to an address until that is stopped. */
  add(uri: string, name: ResourceName, mayHear: MayHear): Listener {
    const known = this.#byUri.get(uri);
    const subscribed = known ?? { name, listeners: new Set(), isDue: false, cancelTimer: null, stop: () => {} };
    const listener = { mayHear, isDue: false };
    subscribed.listeners.add(listener);
    if (known === undefined) {
      this.#byUri.set(uri, subscribed);
      if (name.type === "conversation") this.#watch(name.id, subscribed, uri);
    }
    return {
      take: () => {
        const { isDue } = listener;
        listener.isDue = false;
        return isDue;
      },
      stop: () => {
        if (!subscribed.listeners.delete(listener) || subscribed.listeners.size > 0) return;
        this.#byUri.delete(uri);
        subscribed.cancelTimer?.();
        subscribed.stop();
      },
    };
  }

  close(): void {
    this.#stopChanges();
    for (const { cancelTimer, stop, listeners } of this.#byUri.values()) {
      listeners.clear();
      cancelTimer?.();
      stop();
    }
    this.#byUri.clear();
  }

  #watch(rootId: RootId, subscribed: Subscribed, uri: string): void {
    let isJoined = false;
    const notify = (): void => {
      if (isJoined) this.#changed(uri, subscribed, []);
    };
    // The first state is what the client reads by itself.
    this.#workspace.conversations.watch(rootId, 0, { snapshot() {}, deliver: notify, terminated: notify }).then(
      (joined) => {
        if (!joined.ok) return;
        isJoined = true;
        if (subscribed.listeners.size > 0) subscribed.stop = joined.value;
        else joined.value();
      },
      () => {
        // The store is away; the client reads again when it subscribes again.
      },
    );
  }

  /** Notices a change for those who may know of it. */
  #changed(uri: string, subscribed: Subscribed, blockIds: readonly BlockId[]): void {
    for (const listener of subscribed.listeners) {
      listener.mayHear(blockIds).then(
        (mayHear) => {
          if (!mayHear || !subscribed.listeners.has(listener)) return;
          listener.isDue = true;
          this.#notice(uri, subscribed);
        },
        () => {
          // The store is away; the client reads again when it subscribes again.
        },
      );
    }
  }

  /** Publishes at once when nothing was published lately, else when that time is over. */
  #notice(uri: string, subscribed: Subscribed): void {
    subscribed.isDue = true;
    if (subscribed.cancelTimer !== null) return;
    const publish = (): void => {
      subscribed.cancelTimer = null;
      if (!subscribed.isDue) return;
      subscribed.isDue = false;
      subscribed.cancelTimer = this.#workspace.platform.clock.setTimer(noticeMs, publish);
      this.#publish(uri);
    };
    publish();
  }
}
