import type { Clock } from "../../../core/port/platform.ts";
import type { ActivityKey } from "./activity-keys.ts";

/** Work that a run has started and that has not reported yet. */
export interface Activity {
  readonly subject: ActivityKey;
  readonly controller: AbortController;
  /** Resolves when the work has ended. */
  settled: Promise<void>;
}

/** The work a run has under way: at most one activity per subject. Reports of any other activity are ignored. */
export class Activities {
  readonly #bySubject = new Map<ActivityKey, Activity>();

  /** Starts an activity and aborts the previous one with the same subject. */
  begin(subject: ActivityKey): Activity {
    this.#bySubject.get(subject)?.controller.abort();
    const activity: Activity = { subject, controller: new AbortController(), settled: Promise.resolve() };
    this.#bySubject.set(subject, activity);
    return activity;
  }

  get isEmpty(): boolean {
    return this.#bySubject.size === 0;
  }

  has(subject: ActivityKey): boolean {
    return this.#bySubject.has(subject);
  }

  isCurrent(activity: Activity): boolean {
    return this.#bySubject.get(activity.subject) === activity;
  }

  /** Removes an activity that has reported. */
  settle(activity: Activity): void {
    if (this.isCurrent(activity)) this.#bySubject.delete(activity.subject);
  }

  /** Asks an activity to end; it still reports. */
  abort(subject: ActivityKey): void {
    this.#bySubject.get(subject)?.controller.abort();
  }

  /** Aborts and removes the activities about other subjects, without waiting for their end. */
  keepOnly(subjects: ReadonlySet<ActivityKey>): void {
    for (const activity of this.#bySubject.values()) if (!subjects.has(activity.subject)) this.#drop(activity);
  }

  /**
   * Aborts these activities together and waits at most `graceMs` in all; an activity that does not end by then is abandoned.
   */
  async end(subjects: readonly ActivityKey[], { clock, graceMs }: { clock: Clock; graceMs: number }): Promise<void> {
    const ending = subjects.flatMap((subject) => this.#bySubject.get(subject) ?? []);
    if (ending.length === 0) return;
    for (const activity of ending) this.#drop(activity);
    const { promise: grace, resolve } = Promise.withResolvers<void>();
    const cancelTimer = clock.setTimer(graceMs, resolve);
    await Promise.race([Promise.all(ending.map(({ settled }) => settled)), grace]);
    cancelTimer();
  }

  /** Aborts every activity and waits as `end` does. */
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
