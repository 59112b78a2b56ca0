import type { Refusal } from "../../../../src/core/base/errors.ts";

/** Refusals that programs are told more of than a person needs. */
const ownWords: Readonly<Partial<Record<Refusal["code"], string>>> = {
  FILE_NOT_TEXT: "This isn’t a text file, so it can’t be opened here.",
  APPROVAL_CLOSED: "This request has already been answered.",
};

/** What a person reads of a refusal. The details of a wrong parameter are for programs; a person needs to know the bound. */
export function refusalWords({ code, message, details }: Refusal): string {
  const own = ownWords[code];
  if (own !== undefined) return own;
  const most = code === "INVALID_PARAMS" ? boundIn(details?.["issues"]) : null;
  return most === null
    ? message
    : `This is too long or too large. The limit is ${most.toLocaleString("en")}. Nothing was changed.`;
}

/** The most of characters, or the greatest number, that was gone beyond, by the first of the issues. */
function boundIn(issues: unknown): number | null {
  const [first] = Array.isArray(issues) ? (issues as readonly unknown[]) : [];
  const expected = typeof first === "object" && first !== null && "expected" in first ? first.expected : undefined;
  const most = typeof expected === "string" ? /^<=(\d+)$/u.exec(expected)?.[1] : undefined;
  return most === undefined ? null : Number(most);
}
