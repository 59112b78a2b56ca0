/** From this length on, letters, digits and signs of base64 without a blank are cut into the smallest pieces by tokenizers. */
const denseUnitsMin = 48;

/**
 * Estimates the tokens of a text for models without an available tokenizer. Follows the known behaviour of tokenizers: a
 * word of up to about eight letters is one token, digits go by threes, nearly every sign is one token, and so is an East
 * Asian character; other alphabets make tokens of two or three letters; a blank goes with its word. Endless runs (keys,
 * hashes, base64) cost 0.7 tokens a character.
 */
export function roughTokens(text: string): number {
  let tokens = 0;
  let plain = "";
  let plainFrom = 0;
  for (const { from, end } of denseRuns(text)) {
    tokens += (end - from) * 0.7;
    plain += `${text.slice(plainFrom, from)} `;
    plainFrom = end;
  }
  plain = plainFrom === 0 ? text : plain + text.slice(plainFrom);
  let at = 0;
  while (at < plain.length) {
    const kind = kindOf(plain.charCodeAt(at));
    let end = at + 1;
    while (end < plain.length && kindOf(plain.charCodeAt(end)) === kind) end += 1;
    tokens += tokensOfRun(kind, end - at);
    at = end;
  }
  return Math.ceil(tokens);
}

/** Finds runs by looking at one character in 48: a longer run has one of them. */
function* denseRuns(text: string): Generator<{ readonly from: number; readonly end: number }, void, undefined> {
  let before = 0;
  for (let at = denseUnitsMin - 1; at < text.length; at += denseUnitsMin) {
    if (!isRunSign(text.charCodeAt(at))) continue;
    let from = at;
    while (from > before && isRunSign(text.charCodeAt(from - 1))) from -= 1;
    let end = at + 1;
    while (end < text.length && isRunSign(text.charCodeAt(end))) end += 1;
    if (end - from >= denseUnitsMin && isDense(text.slice(from, end))) yield { from, end };
    before = end;
    at = end;
  }
}

function isRunSign(code: number): boolean {
  const kind = kindOf(code);
  return (
    kind === "letter" || kind === "digit" || code === 43 || code === 45 || code === 47 || code === 61 || code === 95
  );
}

/** A long word or a row of dashes is not dense. */
function isDense(run: string): boolean {
  return /[0-9]/.test(run) && /[a-z]/i.test(run);
}

type Kind = "letter" | "digit" | "blank" | "line" | "sign" | "latin" | "alphabet" | "other";

function kindOf(code: number): Kind {
  if ((code >= 97 && code <= 122) || (code >= 65 && code <= 90)) return "letter";
  if (code >= 48 && code <= 57) return "digit";
  if (code === 32 || code === 9) return "blank";
  if (code === 10 || code === 13) return "line";
  if (code < 128) return "sign";
  if (code < 0x250) return "latin";
  return code < 0x2000 ? "alphabet" : "other";
}

function tokensOfRun(kind: Kind, length: number): number {
  switch (kind) {
    case "letter":
      return Math.ceil(length / 8) + (length > 8 ? (length - 8) / 24 : 0);
    case "digit":
      return Math.ceil(length / 3);
    case "blank":
      // One blank goes with the word after it; indentation is a token or two.
      return length === 1 ? 0 : Math.ceil(length / 16);
    case "line":
      return Math.ceil(length / 2);
    case "sign":
      return length * 0.75;
    case "latin":
      return length;
    case "alphabet":
      return length * 0.4;
    case "other":
      return length * 0.9;
  }
}
