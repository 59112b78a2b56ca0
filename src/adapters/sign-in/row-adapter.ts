import { assert } from "../../core/base/assert.ts";
import type { JsonObject } from "../../core/base/json.ts";
import type { LoginRows, LoginWrite } from "../../core/port/sign-in.ts";
import { createAdapterFactory } from "./auth-package.ts";

type Value = string | number | boolean | string[] | number[] | Date | null;

/** One condition of a query, as the library writes it. */
interface Condition {
  readonly field: string;
  readonly value: Value;
  readonly operator?: string | undefined;
  readonly connector?: "AND" | "OR" | undefined;
  readonly mode?: string | undefined;
}

/** Lets the library keep its rows among the facts of how people sign in. */
export function rowAdapter(rows: LoginRows): ReturnType<typeof createAdapterFactory> {
  const found = (model: string, where: readonly Condition[] = []): JsonObject[] =>
    [...rows.all(model).values()].filter((row) => isMeant(row, where));
  const put = (model: string, row: JsonObject): LoginWrite => ({ model, id: idOf(row), record: row });
  const removal = (model: string, row: JsonObject): LoginWrite => ({ model, id: idOf(row), record: null });

  function changeFirst(model: string, where: readonly Condition[], change: (row: JsonObject) => JsonObject) {
    return rows.change(() => {
      const row = found(model, where)[0];
      if (row === undefined) return { writes: [], answer: null };
      const next = change(row);
      return { writes: [put(model, next)], answer: next };
    });
  }

  return createAdapterFactory({
    config: {
      adapterId: "heddle",
      adapterName: "Heddle",
      supportsDates: false,
      supportsBooleans: true,
      supportsJSON: false,
      supportsArrays: false,
      disableIdGeneration: false,
      transaction: false,
    },
    adapter: () => ({
      create: ({ model, data }) => rows.change(() => ({ writes: [put(model, asRow(data))], answer: data })),
      // What is stored is what the library gave: the type of a row is the library's own knowledge.
      findOne: async ({ model, where }) => (found(model, where)[0] ?? null) as never,
      findMany: async ({ model, where, limit, offset = 0, sortBy }) => {
        const all = found(model, where);
        if (sortBy !== undefined) {
          const sign = sortBy.direction === "asc" ? 1 : -1;
          all.sort((one, other) => sign * compare(one[sortBy.field], other[sortBy.field]));
        }
        return all.slice(offset, offset + limit) as never;
      },
      count: async ({ model, where }) => found(model, where).length,
      update: ({ model, where, update }) => changeFirst(model, where, (row) => ({ ...row, ...asRow(update) })) as never,
      updateMany: ({ model, where, update }) =>
        rows.change(() => {
          const writes = found(model, where).map((row) => put(model, { ...row, ...asRow(update) }));
          return { writes, answer: writes.length };
        }),
      delete: ({ model, where }) =>
        rows.change(() => {
          const row = found(model, where)[0];
          return { writes: row === undefined ? [] : [removal(model, row)], answer: undefined };
        }),
      deleteMany: ({ model, where }) =>
        rows.change(() => {
          const writes = found(model, where).map((row) => removal(model, row));
          return { writes, answer: writes.length };
        }),
      consumeOne: ({ model, where }) =>
        rows.change(() => {
          const row = found(model, where)[0] ?? null;
          return { writes: row === null ? [] : [removal(model, row)], answer: row };
        }) as never,
      incrementOne: ({ model, where, increment, set = {} }) =>
        changeFirst(model, where, (row) => {
          const sums = Object.entries(increment).map(([field, by]) => [field, Number(row[field] ?? 0) + by]);
          return { ...row, ...Object.fromEntries(sums), ...asRow(set) };
        }) as never,
    }),
  });
}

function idOf({ id }: JsonObject): string {
  assert(typeof id === "string" && id !== "", "a row of the library has an id");
  return id;
}

/** A row as JSON; a field without a value is left out. */
function asRow(data: unknown): JsonObject {
  return JSON.parse(JSON.stringify(data));
}

function isMeant(row: JsonObject, where: readonly Condition[]): boolean {
  const all = where.filter(({ connector }) => connector !== "OR");
  const any = where.filter(({ connector }) => connector === "OR");
  return all.every((each) => holds(row, each)) && (any.length === 0 || any.some((each) => holds(row, each)));
}

function holds(row: JsonObject, { field, value, operator = "eq", mode }: Condition): boolean {
  const folded = (each: unknown): unknown =>
    mode === "insensitive" && typeof each === "string" ? each.toLowerCase() : each;
  const stored = folded(row[field] ?? null);
  const wanted = folded(value instanceof Date ? value.toISOString() : value);
  switch (operator) {
    case "eq":
      return stored === wanted;
    case "ne":
      return stored !== wanted;
    case "in":
      return Array.isArray(value) && value.some((each) => folded(each) === stored);
    case "not_in":
      return Array.isArray(value) && !value.some((each) => folded(each) === stored);
    case "lt":
      return wanted !== null && stored !== null && compare(stored, wanted) < 0;
    case "lte":
      return wanted !== null && stored !== null && compare(stored, wanted) <= 0;
    case "gt":
      return wanted !== null && stored !== null && compare(stored, wanted) > 0;
    case "gte":
      return wanted !== null && stored !== null && compare(stored, wanted) >= 0;
    case "contains":
      return String(stored).includes(String(wanted));
    case "starts_with":
      return String(stored).startsWith(String(wanted));
    case "ends_with":
      return String(stored).endsWith(String(wanted));
    default:
      throw new TypeError(`A query of the library has an unknown condition: ${operator}`);
  }
}

/** Orders numbers as numbers, and times, which are stored in one form, as texts. */
function compare(one: unknown, other: unknown): number {
  if (typeof one === "number" && typeof other === "number") return one - other;
  const [first, second] = [textOf(one), textOf(other)];
  return first < second ? -1 : first > second ? 1 : 0;
}

function textOf(value: unknown): string {
  return value === null || value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value);
}
