import { repeatedKey } from "../../base/repeated-key.ts";
import type { JsonPayload, Notation } from "../base/grammar.ts";
import { escaped, isHexDigit, looseJson } from "./loose-json.ts";
import { isHighHalf, isSpace } from "../base/characters.ts";

/** The events of a JSON reader while the text streams; offsets are those of its input. */
export interface JsonEvents {
  /** A call's object begins; only for payloads that are calls. */
  callOpened(at: number): void;
  callNamed(name: string, at: number): void;
  callIdentified(id: string): void;
  /** A parameter's value begins; the name is empty when the payload is the value itself. */
  parameterOpened(name: string, isString: boolean, at: number): void;
  parameterPiece(text: string, at: number): void;
  parameterClosed(at: number): void;
  /**
   * The arguments are complete: their text, undefined when the call had none. `isSound`: whether the JSON around them is
   * valid and says nothing twice.
   */
  callClosed(json: string | undefined, at: number, isSound: boolean): void;
}

/** The role of the current value in its call; deeper values belong to it. */
type Role = "none" | "name" | "id" | "parameter";

const strictNotation: Notation = { quotes: [['"', '"']], unquotedKeys: false, words: {} };
const backslash = 92;
/** What is no JSON: it is put in the place of arguments that come a second time. */
const twice = "?";
/** The characters of one-letter escapes, by the letter's code; other escapes take a slower path. */
const shortEscapes = new Map(Array.from('bfnrt"\\/', (letter) => [letter.charCodeAt(0), escaped(letter)] as const));

/**
 * Reads JSON while it streams: shows string values as they grow, other values once complete, and finds the end of the
 * payload by depth, so that a tag inside a string is data. Looks at each character once. Only brackets and quotes count
 * here;
 * `JSON.parse` validates the complete text.
 */
export class JsonReader {
  readonly #payload: JsonPayload;
  readonly #notation: Notation;
  readonly #events: JsonEvents;
  /** Depth inside a call's object; 0 when the payload is not a call. */
  readonly #callDepth: number;
  #state: "reading" | "done" | "broken" = "reading";
  #depth = 0;
  /** For each open bracket, whether it belongs to an object. */
  readonly #isObject: boolean[] = [];
  #expectsKey = false;
  #key = "";
  #isScalar = false;
  #role: Role = "none";
  #roleDepth = 0;
  /** The kept text of a value that is not shown as it grows; `from` is -1 while nothing is kept. */
  readonly #value = new Kept();
  readonly #arguments = new Kept();
  /** The call's object without its arguments, in place of which there is null. */
  readonly #frame = new Kept();
  #frameText = "";
  #argumentsDepth = -1;
  #argumentsAreText = false;
  #json: string | undefined;
  /** The closing quote of the current string; empty outside strings. */
  #quote = "";
  /** Its code when it is one character, else 0. */
  #quoteCode = 0;
  /** The use of the current string's characters. */
  #use: "nothing" | "key" | "text" | "piece" = "nothing";
  #text = "";
  /** The part of an escape read so far, with its backslash. */
  #escape = "";
  #highHalf = "";

  constructor(payload: JsonPayload, events: JsonEvents) {
    this.#payload = payload;
    this.#notation = payload.type === "value" ? payload.notation : strictNotation;
    this.#events = events;
    this.#callDepth = payload.type === "call" ? 1 : payload.type === "calls" ? 2 : 0;
  }

  /** `done`: the payload's last character was read. `broken`: the text cannot be such a payload. */
  get state(): "reading" | "done" | "broken" {
    return this.#state;
  }

  /**
   * Reads on; returns the offset after the consumed input: its end, or less when the payload is over or an
   * undecided part needs the following input.
   */
  read(input: string, from: number, isEnd: boolean): number {
    this.#value.resume(from);
    this.#arguments.resume(from);
    this.#frame.resume(from);
    let at = from;
    while (at < input.length && this.#state === "reading") {
      const next = this.#quote === "" ? this.#outside(input, at, isEnd) : this.#inside(input, at, isEnd);
      if (next === at) break;
      at = next;
    }
    this.#value.pause(input, at);
    this.#arguments.pause(input, at);
    this.#frame.pause(input, at);
    return at;
  }

  /** Consumes a piece that only continues the open string; false when the piece does more. */
  goesOn(piece: string): boolean {
    const quote = this.#quoteCode;
    if (quote === 0 || this.#escape !== "" || this.#highHalf !== "") return false;
    let code = 0;
    for (let at = 0; at < piece.length; at += 1) {
      code = piece.charCodeAt(at);
      if (code === quote || code === backslash) return false;
    }
    if (isHighHalf(code)) return false;
    this.#value.add(piece);
    this.#arguments.add(piece);
    this.#frame.add(piece);
    if (this.#use === "piece") this.#events.parameterPiece(piece, piece.length);
    else if (this.#use !== "nothing") this.#text += piece;
    return true;
  }

  #outside(input: string, at: number, isEnd: boolean): number {
    const code = input.charCodeAt(at);
    if (this.#isScalar) {
      if (!endsScalar(code)) return at + 1;
      this.#isScalar = false;
      this.#valueEnded(input, at);
      // A scalar ends before the structure around it continues.
      if (this.#state === "done") return at;
    }
    if (isSpace(code)) return at + 1;
    switch (code) {
      case 0x7b: // {
      case 0x5b: // [
        return this.#opens(input, at, code === 0x7b);
      case 0x7d: // }
      case 0x5d: // ]
        return this.#closes(input, at);
      case 0x2c: // ,
        this.#expectsKey = this.#isObject.at(-1) === true;
        return at + 1;
      case 0x3a: // :
        this.#expectsKey = false;
        return at + 1;
      default:
        break;
    }
    for (const [opening, closing] of this.#notation.quotes) {
      if (input.startsWith(opening, at)) return this.#opensString(input, at, opening.length, closing);
      if (!isEnd && opening.startsWith(input.slice(at))) return at;
    }
    if (this.#expectsKey) return at + 1;
    if (this.#depth === 0 && this.#payload.type !== "value") return this.#breaks(at);
    this.#valueBegins(input, at, false);
    this.#isScalar = true;
    return at + 1;
  }

  #breaks(at: number): number {
    this.#state = "broken";
    return at;
  }

  #opens(input: string, at: number, isObject: boolean): number {
    const { type } = this.#payload;
    if (this.#depth === 0 && type !== "value" && isObject === (type === "calls")) return this.#breaks(at);
    this.#valueBegins(input, at, false);
    this.#depth += 1;
    this.#isObject.push(isObject);
    this.#expectsKey = isObject;
    if (this.#depth === this.#callDepth && isObject) {
      this.#json = undefined;
      this.#frameText = "";
      this.#frame.begin(at);
      this.#events.callOpened(at);
    }
    return at + 1;
  }

  #closes(input: string, at: number): number {
    if (this.#depth === 0) return this.#breaks(at);
    const isCall = this.#depth === this.#callDepth && this.#isObject.at(-1) === true;
    this.#depth -= 1;
    this.#isObject.pop();
    this.#expectsKey = false;
    this.#valueEnded(input, at + 1);
    if (isCall) {
      this.#frameText += this.#frame.end(input, at + 1) ?? "";
      this.#events.callClosed(this.#json, at + 1, isSound(this.#frameText));
    }
    return at + 1;
  }

  #opensString(input: string, at: number, length: number, closing: string): number {
    if (this.#depth === 0 && this.#payload.type !== "value") return this.#breaks(at);
    this.#quote = closing;
    this.#quoteCode = closing.length === 1 ? closing.charCodeAt(0) : 0;
    this.#text = "";
    if (this.#expectsKey) this.#use = "key";
    else {
      const wasFree = this.#role === "none";
      this.#valueBegins(input, at, true);
      this.#use = !wasFree || this.#role === "none" ? "nothing" : this.#role === "parameter" ? "piece" : "text";
    }
    return at + length;
  }

  /** Begins a value; the key before it determines its role in the call. */
  #valueBegins(input: string, at: number, isString: boolean): void {
    if (this.#role !== "none") return;
    const payload = this.#payload;
    switch (payload.type) {
      case "value":
        if (this.#depth === 0) this.#parameterBegins("", at, isString);
        return;
      case "arguments":
        if (this.#depth === 0) this.#argumentsBegin(input, at, isString);
        else if (this.#depth === 1) this.#parameterBegins(this.#key, at, isString);
        return;
      case "call":
      case "calls":
        if (this.#argumentsDepth >= 0) {
          if (this.#depth === this.#argumentsDepth + 1 && !this.#argumentsAreText)
            this.#parameterBegins(this.#key, at, isString);
        } else if (this.#depth === this.#callDepth) {
          if (payload.namesByKey === true) this.#namedArgumentsBegin(input, at, isString);
          else if (payload.argumentKeys.includes(this.#key)) this.#argumentsBegin(input, at, isString);
          else if (isString && payload.nameKeys.includes(this.#key)) this.#begins("name");
          else if (isString && payload.idKeys.includes(this.#key)) this.#begins("id");
        }
    }
  }

  #begins(role: Role): void {
    this.#role = role;
    this.#roleDepth = this.#depth;
  }

  #parameterBegins(name: string, at: number, isString: boolean): void {
    this.#begins("parameter");
    if (!isString) this.#value.begin(at);
    this.#events.parameterOpened(name, isString, at);
  }

  /** Begins arguments whose key is the tool's name; a second key would be a second call in the same object. */
  #namedArgumentsBegin(input: string, at: number, isString: boolean): void {
    const isFirst = this.#json === undefined;
    this.#events.callNamed(isFirst ? this.#key : "", at);
    if (isFirst) this.#argumentsBegin(input, at, isString);
  }

  #argumentsBegin(input: string, at: number, isString: boolean): void {
    this.#frameText += `${this.#frame.end(input, at) ?? ""}${this.#json === undefined ? "null" : twice}`;
    this.#arguments.begin(at);
    this.#argumentsDepth = this.#depth;
    this.#argumentsAreText = isString;
  }

  /** Ends a value at the depth where it began. */
  #valueEnded(input: string, at: number): void {
    if (this.#role !== "none") {
      if (this.#depth > this.#roleDepth) return;
      const role = this.#role;
      this.#role = "none";
      if (role === "name") this.#events.callNamed(this.#text, at);
      else if (role === "id") this.#events.callIdentified(this.#text);
      else {
        const raw = this.#value.end(input, at);
        if (raw !== undefined) {
          const json = this.#payload.type === "value" ? (looseJson(raw, this.#notation) ?? raw) : raw;
          this.#events.parameterPiece(json, at);
        }
        this.#events.parameterClosed(at);
      }
    } else if (this.#depth === this.#argumentsDepth) {
      this.#argumentsDepth = -1;
      const json = this.#arguments.end(input, at);
      this.#json = this.#argumentsAreText && json !== undefined ? textOfString(json) : json;
      if (this.#payload.type === "arguments") this.#events.callClosed(this.#json, at, true);
      else this.#frame.begin(at);
    }
    if (this.#depth === 0) this.#state = "done";
  }

  #inside(input: string, from: number, isEnd: boolean): number {
    if (this.#escape !== "") return this.#inEscape(input, from, isEnd);
    if (this.#quote.length > 1) return this.#insideLongQuotes(input, from, isEnd);
    const quote = this.#quoteCode;
    let text = "";
    let start = from;
    let at = from;
    for (; at < input.length; at += 1) {
      const code = input.charCodeAt(at);
      if (code === quote) break;
      if (code !== backslash) continue;
      const meant = shortEscapes.get(input.charCodeAt(at + 1));
      if (meant === undefined) break;
      text += input.slice(start, at) + meant;
      at += 1;
      start = at + 1;
    }
    if (at === input.length && !isEnd && at > start && isHighHalf(input.charCodeAt(at - 1))) at -= 1;
    if (at > from) {
      this.#takes(text + input.slice(start, at), at);
      return at;
    }
    if (at === input.length || isHighHalf(input.charCodeAt(at))) return at;
    if (input.charCodeAt(at) === quote) return this.#endsString(input, at, 1);
    this.#escape = "\\";
    return at + 1;
  }

  #insideLongQuotes(input: string, from: number, isEnd: boolean): number {
    const found = input.indexOf(this.#quote, from);
    if (found === from) return this.#endsString(input, from, this.#quote.length);
    const at = found === -1 ? plainEnd(input, from, isEnd ? "" : this.#quote) : found;
    if (at > from) this.#takes(input.slice(from, at), at);
    return at;
  }

  #inEscape(input: string, at: number, isEnd: boolean): number {
    const character = input.charAt(at);
    const begun = this.#escape;
    if (begun === "\\" && character !== "u") {
      this.#unescaped(escaped(character), at + 1);
      return at + 1;
    }
    if (begun !== "\\" && !isHexDigit(character)) {
      // An invalid escape is kept unchanged, as in a path such as `C:\users`.
      this.#unescaped(begun, at);
      return this.#inside(input, at, isEnd);
    }
    this.#escape += character;
    if (this.#escape.length === 6) {
      this.#unescaped(String.fromCharCode(Number.parseInt(this.#escape.slice(2), 16)), at + 1);
    }
    return at + 1;
  }

  /** Joins the halves of a character that come as two escapes. */
  #unescaped(text: string, at: number): void {
    this.#escape = "";
    if (text.length === 1 && isHighHalf(text.charCodeAt(0))) {
      const earlier = this.#highHalf;
      this.#highHalf = "";
      if (earlier !== "") this.#takes(earlier, at);
      this.#highHalf = text;
    } else this.#takes(text, at);
  }

  #takes(text: string, at: number): void {
    const whole = this.#highHalf + text;
    this.#highHalf = "";
    if (this.#use === "piece") this.#events.parameterPiece(whole, at);
    else if (this.#use !== "nothing") this.#text += whole;
  }

  #endsString(input: string, at: number, length: number): number {
    if (this.#highHalf !== "") this.#takes("", at);
    this.#quote = "";
    this.#quoteCode = 0;
    if (this.#use === "key") {
      this.#key = this.#text;
      this.#expectsKey = false;
    } else this.#valueEnded(input, at + length);
    return at + length;
  }
}

/** Text kept across several inputs. */
class Kept {
  #text = "";
  #from = -1;
  #isKeeping = false;

  begin(at: number): void {
    this.#text = "";
    this.#from = at;
    this.#isKeeping = true;
  }

  resume(at: number): void {
    this.#from = at;
  }

  add(piece: string): void {
    if (this.#isKeeping) this.#text += piece;
  }

  pause(input: string, at: number): void {
    if (this.#isKeeping && at > this.#from)
      this.#text += this.#from === 0 && at === input.length ? input : input.slice(this.#from, at);
  }

  /** Returns the kept text; undefined when nothing was kept. */
  end(input: string, at: number): string | undefined {
    if (!this.#isKeeping) return undefined;
    this.#isKeeping = false;
    return this.#text + input.slice(this.#from, at);
  }
}

/** Whether the JSON around a call's arguments is valid and has no key twice. */
function isSound(frame: string): boolean {
  try {
    JSON.parse(frame);
    return repeatedKey(frame) === undefined;
  } catch {
    return false;
  }
}

function textOfString(json: string): string {
  try {
    const text: unknown = JSON.parse(json);
    return typeof text === "string" ? text : json;
  } catch {
    return json;
  }
}

/** Returns how far the input certainly holds no beginning of a mark. */
function plainEnd(input: string, from: number, mark: string): number {
  for (let at = Math.max(from, input.length - mark.length + 1); at < input.length; at += 1) {
    if (mark.startsWith(input.slice(at))) return at;
  }
  return input.length;
}

function endsScalar(code: number): boolean {
  return code === 0x2c || code === 0x7d || code === 0x5d || code === 0x29 || isSpace(code);
}
