import { isJsonObject, type Json, type JsonObject } from "../../base/json.ts";
import { isNonEmpty, type NonEmptyArray } from "../../base/non-empty.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { Answer, Question } from "../state/question.ts";

/** The most fields of a form that people are shown, and options of a field. */
export const formFieldsMax = 20;
export const fieldOptionsMax = 100;
/** The longest words of a program that are shown in a question. UTF-16 units. */
const wordsMax = 4_000;
/** The longest name of a field. UTF-16 units. */
const nameMax = 200;

/** A field of a form that a program wants filled in. */
interface FormField {
  readonly name: string;
  readonly label: string;
  readonly isRequired: boolean;
  readonly kind: FieldKind;
}

type FieldKind =
  | { readonly type: "text"; readonly min: number; readonly max: number; readonly format: string | null }
  | { readonly type: "number"; readonly isWhole: boolean; readonly min: number; readonly max: number }
  | { readonly type: "boolean" }
  | { readonly type: "choice"; readonly options: readonly Option[] }
  | { readonly type: "choices"; readonly options: readonly Option[]; readonly min: number; readonly max: number };

interface Option {
  readonly value: string;
  readonly label: string;
}

/** A form that a program asks a person to fill in (MCP's and ACP's elicitation in form mode). */
export interface ElicitedForm {
  readonly message: string;
  readonly fields: readonly FormField[];
}

/** What a program may not ask for in a form: its answer would be on the screen, in the log and with the program. */
const secret =
  /pass[\s_-]?(?:word|phrase|code)|\bpwd\b|\bpin\b|secret|credential|(?:api|private|access)[\s_-]?key|(?:access|auth|bearer)[\s_-]?token|card[\s_-]?number|\bcvv\b/iu;

/** Reads a form; a sentence says why it is not shown. Only what the protocols allow is accepted: flat fields of plain kinds. */
export function readElicitedForm(message: string, schema: unknown): Result<ElicitedForm, string> {
  if (!isJsonObject(schema) || !isJsonObject(schema["properties"] ?? {})) return err("its form cannot be read");
  const properties = Object.entries((schema["properties"] ?? {}) as JsonObject);
  if (properties.length > formFieldsMax) return err(`its form has more than ${formFieldsMax} fields`);
  const required = new Set(Array.isArray(schema["required"]) ? schema["required"] : []);
  const fields: FormField[] = [];
  for (const [name, property] of properties) {
    if (name.length > nameMax || !isJsonObject(property)) return err("its form cannot be read");
    const title = wordsOf(property["title"]) || name;
    const said = wordsOf(property["description"]);
    if (property["format"] === "password" || [name, title, said].some((words) => secret.test(words)))
      return err(`it asks for a secret in a form (${title.slice(0, 80)}), which is no place for one`);
    const kind = kindOf(property);
    if (kind === null) return err(`its field ${title.slice(0, 80)} is of a kind that cannot be shown`);
    const isRepeated = fields.some((field) => field.label === labelOf(title, said));
    const label = isRepeated ? `${labelOf(title, said)} [${name}]` : labelOf(title, said);
    fields.push({ name, label, isRequired: required.has(name), kind });
  }
  return ok({ message: message.slice(0, wordsMax), fields });
}

const goOn = "Yes, go on";

/** Returns the questions of a form; `problem` says what was wrong with the answers before. */
export function formQuestions({ message, fields }: ElicitedForm, problem: string | null): NonEmptyArray<Question> {
  const head = problem === null ? message : `${message}\n${problem}`;
  const questions = fields.map((field, at): Question => {
    const { label, isRequired, kind } = field;
    return {
      question: at === 0 && head !== "" ? `${head}\n\n${label}` : label,
      options: optionsOf(kind).map((option) => ({ label: option.label })),
      multiple: kind.type === "choices",
      ...(isRequired ? {} : { optional: true }),
    };
  });
  if (isNonEmpty(questions)) return questions;
  return [{ question: head, options: [{ label: goOn }, { label: "No" }], multiple: false }];
}

/** What a person gave for a form: its content, a decline, or a sentence about what does not fit. */
export type FormAnswer =
  | { readonly type: "content"; readonly content: JsonObject }
  | { readonly type: "declined" }
  | { readonly type: "problem"; readonly problem: string };

/** Reads the answers to `formQuestions` as the form's content. */
export function formAnswer({ fields }: ElicitedForm, answers: readonly Answer[]): FormAnswer {
  if (fields.length === 0)
    return answers[0]?.chosen[0] === goOn ? { type: "content", content: {} } : { type: "declined" };
  const content: Record<string, Json> = {};
  for (const [at, field] of fields.entries()) {
    const chosen = answers[at]?.chosen ?? [];
    if (chosen.length === 0 && !field.isRequired) continue;
    const value = valueOf(field.kind, chosen);
    if (!value.ok) return { type: "problem", problem: `(${field.label}: ${value.error})` };
    content[field.name] = value.value;
  }
  return { type: "content", content };
}

function valueOf(kind: FieldKind, chosen: readonly string[]): Result<Json, string> {
  const [first = ""] = chosen;
  switch (kind.type) {
    case "text": {
      if (first.length < kind.min || first.length > kind.max) return err(lengthWords(kind));
      const fits = kind.format === null || fitsFormat(kind.format, first);
      return fits ? ok(first) : err(`this is no ${kind.format ?? "text"}`);
    }
    case "number": {
      const value = first.trim() === "" ? Number.NaN : Number(first);
      if (!Number.isFinite(value) || (kind.isWhole && !Number.isInteger(value)))
        return err(kind.isWhole ? "a whole number is wanted" : "a number is wanted");
      return value < kind.min || value > kind.max ? err(boundsWords(kind)) : ok(value);
    }
    case "boolean":
      if (/^(?:yes|true)$/iu.test(first)) return ok(true);
      return /^(?:no|false)$/iu.test(first) ? ok(false) : err("yes or no is wanted");
    case "choice": {
      const value = valueIn(kind.options, first);
      return value === undefined ? err("one of the options is wanted") : ok(value);
    }
    case "choices": {
      const values = chosen.flatMap((each) => valueIn(kind.options, each) ?? []);
      if (values.length < chosen.length) return err("only the options are wanted");
      return values.length < kind.min || values.length > kind.max ? err(boundsWords(kind)) : ok(values);
    }
  }
}

function valueIn(options: readonly Option[], label: string): string | undefined {
  return options.find((option) => option.label === label)?.value;
}

function optionsOf(kind: FieldKind): readonly Pick<Option, "label">[] {
  if (kind.type === "boolean") return [{ label: "Yes" }, { label: "No" }];
  return kind.type === "choice" || kind.type === "choices" ? kind.options : [];
}

function kindOf(property: JsonObject): FieldKind | null {
  const { type, format, items } = property;
  const options = choicesOf(property);
  if (type === "string" && options !== null) return options.length === 0 ? null : { type: "choice", options };
  if (type === "string") {
    const max = numberOr(property["maxLength"], Number.MAX_SAFE_INTEGER);
    return {
      type: "text",
      min: numberOr(property["minLength"], 0),
      max,
      format: typeof format === "string" ? format : null,
    };
  }
  if (type === "number" || type === "integer") {
    return {
      type: "number",
      isWhole: type === "integer",
      min: numberOr(property["minimum"], -Number.MAX_VALUE),
      max: numberOr(property["maximum"], Number.MAX_VALUE),
    };
  }
  if (type === "boolean") return { type };
  const of = type === "array" && isJsonObject(items) ? choicesOf(items) : null;
  if (of === null || of.length === 0) return null;
  const min = numberOr(property["minItems"], 0);
  return { type: "choices", options: of, min, max: numberOr(property["maxItems"], of.length) };
}

/** Returns the options of a field; null for one without, empty for options that cannot be shown. */
function choicesOf(property: JsonObject): readonly Option[] | null {
  const titled = property["oneOf"] ?? property["anyOf"];
  const values = property["enum"];
  const found = Array.isArray(titled)
    ? titled.map((each) => (isJsonObject(each) ? [each["const"], each["title"]] : []))
    : Array.isArray(values)
      ? values.map((value, at) => [value, Array.isArray(property["enumNames"]) ? property["enumNames"][at] : undefined])
      : null;
  if (found === null) return null;
  const options: Option[] = [];
  for (const [value, title] of found) {
    if (typeof value !== "string") return [];
    const words = wordsOf(title).trim() || value.trim();
    const label = words === "" || options.some((option) => option.label === words) ? `${words} (${value})` : words;
    options.push({ value, label });
  }
  return options.length > fieldOptionsMax ? [] : options;
}

const dateForm = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/u;
const timeForm =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?$/u;

function fitsFormat(format: string, text: string): boolean {
  switch (format) {
    case "email":
      return /^[^\s@]+@[^\s@]+$/u.test(text);
    case "uri":
      return /^[a-z][a-z0-9+.-]*:\S+$/iu.test(text);
    case "date":
      return dateForm.test(text);
    case "date-time":
      return timeForm.test(text);
    default:
      return true;
  }
}

function lengthWords({ min, max }: { readonly min: number; readonly max: number }): string {
  return max === Number.MAX_SAFE_INTEGER ? `at least ${min} characters` : `${min} to ${max} characters`;
}

function boundsWords({ min, max }: { readonly min: number; readonly max: number }): string {
  return [
    ...(min > -Number.MAX_VALUE ? [`at least ${min}`] : []),
    ...(max < Number.MAX_VALUE ? [`at most ${max}`] : []),
  ].join(", ");
}

function labelOf(title: string, said: string): string {
  return said === "" || said === title ? title : `${title}: ${said}`;
}

function numberOr(value: Json | undefined, otherwise: number): number {
  return typeof value === "number" ? value : otherwise;
}

function wordsOf(value: Json | undefined): string {
  return typeof value === "string" ? value.toWellFormed().slice(0, 1_000) : "";
}
