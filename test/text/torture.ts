/** How many times over the random tests run: `HEDDLE_TORTURE`, a number, 1 unless set. */
export const torture = readTorture(process.env["HEDDLE_TORTURE"]);

function readTorture(value: string | undefined): number {
  const times = value === undefined || value === "" ? 1 : Number(value);
  if (Number.isFinite(times) && times > 0) return times;
  throw new Error(`HEDDLE_TORTURE is a number above 0, not ${value}`);
}
