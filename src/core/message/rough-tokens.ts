/** Letters, digits and signs of base64 without a blank, which tokenizers cut into the smallest pieces. */
const denseRun = /[A-Za-z0-9+/=_-]{48,}/g;

/**
 * Estimates the tokens of a text for models without an available tokenizer. Follows the known behaviour of tokenizers: a
 * word of up to about eight letters is one token, digits go by threes, nearly every sign is one token, and so is an East
 * Asian character; other alphabets make tokens of two or three letters; a blank goes with its word. Endless runs (keys,
 * hashes, base64) cost 0.7 tokens a character.
 */
export function roughTokens(text: string): number {
  let dense = 0;
  const plain = text.replaceAll(denseRun, (run) => {
    // A long word or a row of dashes is not dense.
    if (!isDense(run)) return run;
    dense += run.length * 0.7;
    return " ";
  });
  let tokens = dense;
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
