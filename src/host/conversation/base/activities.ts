import type { Clock } from "../../../core/port/platform.ts";
import type { Subject } from "./subjects.ts";

/** Something that a run has set in motion and that has not reported yet. */
export interface Activity {
  readonly subject: Subject;
  readonly controller: AbortController;
  /** Resolves when nothing of it goes on. */
  settled: Promise<void>;
}

/** What a run has under way: at most one activity about each subject. Only those in here are heard. */
export class Activities {
  readonly #bySubject = new Map<Subject, Activity>();

  /** Begins one; what was under way about the same is given up. */
  begin(subject: Subject): Activity {
    this.#bySubject.get(subject)?.controller.abort();
    const activity: Activity = { subject, controller: new AbortController(), settled: Promise.resolve() };
    this.#bySubject.set(subject, activity);
    return activity;
  }

  has(subject: Subject): boolean {
    return this.#bySubject.has(subject);
  }

  isCurrent(activity: Activity): boolean {
    return this.#bySubject.get(activity.subject) === activity;
  }

  /** The activity has reported. */
  settle(activity: Activity): void {
    if (this.isCurrent(activity)) this.#bySubject.delete(activity.subject);
  }

  /** Asks one to end; it still reports. */
  abort(subject: Subject): void {
    this.#bySubject.get(subject)?.controller.abort();
  }

  /** Gives up whatever is not about one of these, without waiting for its end. */
  keepOnly(subjects: ReadonlySet<Subject>): void {
    for (const activity of this.#bySubject.values()) if (!subjects.has(activity.subject)) this.#drop(activity);
  }

  /** Gives up these, all at once, and waits for their end, at most so long in all; one that will not go is left behind. */
  async end(subjects: readonly Subject[], { clock, graceMs }: { clock: Clock; graceMs: number }): Promise<void> {
    const ending = subjects.flatMap((subject) => this.#bySubject.get(subject) ?? []);
    if (ending.length === 0) return;
    for (const activity of ending) this.#drop(activity);
    const { promise: grace, resolve } = Promise.withResolvers<void>();
    const cancelTimer = clock.setTimer(graceMs, resolve);
    await Promise.race([Promise.all(ending.map(({ settled }) => settled)), grace]);
    cancelTimer();
  }

  /** Gives up everything, and waits for its end as `end` does. */
  endAll(within: { clock: Clock; graceMs: number }): Promise<void> {
    return this.end([...this.#bySubject.keys()], within);
  }

  dropAll(): void {
    this.keepOnly(new Set());
  }

  #drop(activity: Activity): void {
    activity.controller.abort();
    this.#bySubject.delete(activity.subject);
  }
}
