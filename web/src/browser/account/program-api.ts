import type { Right } from "../../../../src/core/rights/token-right.ts";
import { ask, type Answered } from "./sign-in-api.ts";

/** What a program asks of the person whose browser it sent here. */
export interface ProgramQuestion {
  readonly program: {
    readonly name: string;
    /** The host that answers for the name; null: an owner registered the program. */
    readonly host: string | null;
  };
  /** Where the program gets its answer: at a host, on this computer, or in an app that opens such addresses. */
  readonly answersTo: { readonly type: "host" | "machine" | "app"; readonly name: string };
  readonly through: "mcp" | "api";
  readonly rights: readonly Right[];
  readonly person: string;
}

/** What a program may do for the person. */
export interface Permit {
  readonly id: string;
  readonly name: string;
  readonly rights: readonly Right[];
  /** UTC milliseconds. */
  readonly madeAt: number;
  readonly seenAt: number;
}

/** A program that an owner registered, so that it may ask people. */
export interface RegisteredProgram {
  readonly id: string;
  readonly name: string;
  readonly redirectUris: readonly string[];
}

export interface Programs {
  readonly programs: readonly RegisteredProgram[];
  readonly mayRegister: boolean;
}

export function readQuestion(id: string): Promise<Answered<ProgramQuestion>> {
  return ask(`/consent/${encodeURIComponent(id)}`, {});
}

/** Allows these rights, or nothing; the answer says where the browser goes on. */
export function answerQuestion(id: string, rights: readonly Right[]): Promise<Answered<{ readonly to: string }>> {
  return ask(`/consent/${encodeURIComponent(id)}/answer`, { rights });
}

export async function listPermits(): Promise<Answered<readonly Permit[]>> {
  const listed = await ask<{ readonly permits: readonly Permit[] }>("/permits");
  return listed.ok ? { ok: true, value: listed.value.permits } : listed;
}

export function endPermit(id: string): Promise<Answered<unknown>> {
  return ask("/permits/end", { id });
}

export function listPrograms(): Promise<Answered<Programs>> {
  return ask("/programs");
}

export function registerProgram(name: string, redirectUris: readonly string[]): Promise<Answered<RegisteredProgram>> {
  return ask("/programs/register", { name, redirectUris });
}

export function removeProgram(id: string): Promise<Answered<unknown>> {
  return ask("/programs/remove", { id });
}
