const delimiter =
  /^(?:(?<closing>-{3,})[ \t]+(?<closed>[\w$.-]+)|[ \t]*(?<opened>[\w$.-]+)[ \t]+(?<opening>-{3,}))[ \t]*\r?$/gm;

/** The lines between which a value of the caret syntax is written. */
interface Delimiters {
  readonly key: string;
  /** Empty for a body that only the call's end closes. */
  readonly dashes: string;
}

/**
 * Whether a value between lines of dashes shows that the line before its end was forgotten: it holds the line that opens
 * the same value again. A body that ends with the call must not hold the closing line of any declared parameter that it
 * does not open.
 */
export function showsForgottenLine(
  text: string,
  { key, dashes }: Delimiters,
  isParameter: (name: string) => boolean,
): boolean {
  if (!text.includes("---")) return false;
  const open: string[] = [];
  for (const { groups = {} } of text.matchAll(delimiter)) {
    if (dashes !== "") {
      if (groups["opened"] === key && groups["opening"] === dashes) return true;
    } else if (groups["opened"] !== undefined) {
      open.push(`${groups["opened"]} ${groups["opening"]}`);
    } else if (isParameter(groups["closed"] ?? "") && open.pop() !== `${groups["closed"]} ${groups["closing"]}`) {
      return true;
    }
  }
  return false;
}
