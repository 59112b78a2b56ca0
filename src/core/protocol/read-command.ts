import * as v from "valibot";
import { refusal, type Refusal } from "../base/errors.ts";
import type { RequestId } from "../base/ids.ts";
import { err, ok, type Result } from "../base/result.ts";
import { commands, type CommandName, type CommandParams } from "./commands.ts";
import { factsOfIssues } from "./base/issues.ts";
import { requestId } from "./base/parts.ts";

/** A command with its parameters, a union by name. */
export type ReadCommand = {
  [Name in CommandName]: {
    readonly name: Name;
    readonly params: CommandParams<Name>;
    /** The caller's request id, if the parameters had one. */
    readonly clientRequestId?: RequestId;
  };
}[CommandName];

const named = v.looseObject({ clientRequestId: v.exactOptional(requestId) });

/**
 * Validates a command's name and parameters; missing parameters are an empty object. Any command may have a
 * `clientRequestId` among them.
 */
export function readCommand(name: string, params: unknown): Result<ReadCommand, Refusal> {
  if (!isCommandName(name)) {
    return err(refusal("UNKNOWN_METHOD", { requested: name.slice(0, 100), commands: Object.keys(commands) }));
  }
  return readParams(name, params ?? {});
}

function isCommandName(name: string): name is CommandName {
  return Object.hasOwn(commands, name);
}

function readParams(name: CommandName, given: unknown): Result<ReadCommand, Refusal> {
  const schema: v.GenericSchema = commands[name].params;
  const request = v.safeParse(named, given);
  if (!request.success) return err(refusal("INVALID_PARAMS", factsOfIssues(request.issues)));
  const { clientRequestId, ...params } = request.output;
  const read = v.safeParse(schema, params);
  if (!read.success) return err(refusal("INVALID_PARAMS", factsOfIssues(read.issues)));
  const command = { name, params: read.output, ...(clientRequestId !== undefined && { clientRequestId }) };
  // The compiler does not know that the name and the parameters belong to one command.
  return ok(command as ReadCommand);
}
