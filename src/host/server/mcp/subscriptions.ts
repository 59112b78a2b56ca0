import type { BlockId, RootId } from "../../../core/base/ids.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import type { ResourceName } from "./resource-uri.ts";

/** The shortest time between two notices about one resource: at most five in any second. Milliseconds. */
const noticeMs = 300;

/** One address that clients have subscribed to. */
interface Subscribed {
  readonly name: ResourceName;
  count: number;
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
      const blocks = new Set(changes.map(({ blockId }) => blockId));
      this.#changed(({ type, ...name }) => type === "feed" || ("id" in name && blocks.has(name.id as BlockId)));
    });
  }

  /** Subscribes to an address until the returned function is called. */
  add(uri: string, name: ResourceName): () => void {
    const known = this.#byUri.get(uri);
    const subscribed = known ?? { name, count: 0, isDue: false, cancelTimer: null, stop: () => {} };
    subscribed.count += 1;
    if (known === undefined) {
      this.#byUri.set(uri, subscribed);
      if (name.type === "conversation") this.#watch(name.id, subscribed, uri);
    }
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      subscribed.count -= 1;
      if (subscribed.count > 0) return;
      this.#byUri.delete(uri);
      subscribed.cancelTimer?.();
      subscribed.stop();
    };
  }

  close(): void {
    this.#stopChanges();
    for (const { cancelTimer, stop } of this.#byUri.values()) {
      cancelTimer?.();
      stop();
    }
    this.#byUri.clear();
  }

  #watch(rootId: RootId, subscribed: Subscribed, uri: string): void {
    let isJoined = false;
    const notify = (): void => {
      if (isJoined) this.#notice(uri, subscribed);
    };
    // The first state is what the client reads by itself.
    this.#workspace.conversations.watch(rootId, 0, { snapshot() {}, deliver: notify, terminated: notify }).then(
      (joined) => {
        if (!joined.ok) return;
        isJoined = true;
        if (subscribed.count > 0) subscribed.stop = joined.value;
        else joined.value();
      },
      () => {
        // The store is away; the client reads again when it subscribes again.
      },
    );
  }

  #changed(isAbout: (name: ResourceName) => boolean): void {
    for (const [uri, subscribed] of this.#byUri) if (isAbout(subscribed.name)) this.#notice(uri, subscribed);
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
