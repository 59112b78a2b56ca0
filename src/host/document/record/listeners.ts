/** A source of one kind of event. */
export interface Subscribable<Event> {
  /** Calls `listener` with every event until the function that it returns is called. */
  subscribe(listener: (event: Event) => void): () => void;
}

/** The subscribers of one kind of event, called in the order in which they subscribed. */
export class Listeners<Event> implements Subscribable<Event> {
  readonly #listeners = new Set<(event: Event) => void>();

  subscribe(listener: (event: Event) => void): () => void {
    // A new function for each subscription: a listener that subscribes twice is called twice.
    const own = (event: Event): void => listener(event);
    this.#listeners.add(own);
    return () => {
      this.#listeners.delete(own);
    };
  }

  publish(event: Event): void {
    for (const listener of this.#listeners) listener(event);
  }
}
