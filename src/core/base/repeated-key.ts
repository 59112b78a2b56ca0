/**
 * The first key that an object in a valid JSON text has twice, as it reads without escapes; undefined for none. A parser
 * takes the last of them and says nothing; another reader may have taken the first.
 */
export function repeatedKey(json: string): string | undefined {
  /** The keys of each object that is open; null for an array. */
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
        expectsKey = false;
        break;
      case "}":
      case "]":
        open.pop();
        expectsKey = false;
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

/** Whether a character has an odd number of backslashes before it. */
function isEscaped(json: string, at: number): boolean {
  let from = at;
  while (from > 0 && json.charAt(from - 1) === "\\") from -= 1;
  return (at - from) % 2 === 1;
}
