/**
 * Returns the first key, unescaped, that an object in a valid JSON text has twice, or undefined. A parser silently uses the
 * last value of such a key; another reader may have used the first.
 */
export function repeatedKey(json: string): string | undefined {
  /** The keys of each open object; null for an array. */
  const open: (Set<string> | null)[] = [];
  let expectsKey = false;
  for (let index = 0; index < json.length; index += 1) {
    switch (json.charAt(index)) {
      case "{":
        open.push(new Set());
        expectsKey = true;
        break;
      case "[":
        open.push(null);
        break;
      case "}":
      case "]":
        open.pop();
        break;
      case ",":
        expectsKey = (open.at(-1) ?? null) !== null;
        break;
      case '"': {
        const end = closingQuote(json, index);
        if (expectsKey) {
          const key = String(JSON.parse(json.slice(index, end + 1)));
          const keys = open.at(-1);
          if (keys?.has(key)) return key;
          keys?.add(key);
          expectsKey = false;
        }
        index = end;
        break;
      }
      default:
        break;
    }
  }
  return undefined;
}

function closingQuote(json: string, from: number): number {
  let index = json.indexOf('"', from + 1);
  while (index !== -1 && isEscaped(json, index)) index = json.indexOf('"', index + 1);
  return index === -1 ? json.length : index;
}

/** Whether an odd number of backslashes precedes a character. */
function isEscaped(json: string, at: number): boolean {
  let from = at;
  while (from > 0 && json.charAt(from - 1) === "\\") from -= 1;
  return (at - from) % 2 === 1;
}
