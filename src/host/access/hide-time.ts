import type { Refusal } from "../../core/base/errors.ts";
import type { Clock } from "../../core/port/platform.ts";
import type { Asking } from "./member.ts";

/**
 * When the answer that something does not exist is given to a person of a team: longer than finding out takes, so that the time
 * does not tell whether it is there and hidden. Milliseconds from the question.
 */
const hiddenAfterMs = 12;

/**
 * Judges a question of who asks; where the answer is that the object does not exist, it is given at the same time whether it does
 * or not. The time begins before anything is looked up.
 */
export async function hideTime(
  { member }: Asking,
  clock: Pick<Clock, "setTimer">,
  judge: () => Promise<Refusal | null>,
): Promise<Refusal | null> {
  if (!member) return judge();
  let pass = (): void => {};
  const passed = new Promise<void>((resolve) => (pass = resolve));
  const cancel = clock.setTimer(hiddenAfterMs, () => pass());
  const refused = await judge();
  if (refused !== null && refused.code.endsWith("NOT_FOUND")) await passed;
  else cancel();
  return refused;
}
