import type { HeddleClient } from "../../../client/base/types.ts";
import { refusal, type Refusal } from "../../../core/base/errors.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import type { CommandForm, CommandLine } from "../base/command-line.ts";
import { safeLine } from "../base/safe-text.ts";
import type { Terminal } from "../base/terminal.ts";
import { atServer } from "../start/at-server.ts";
import { serverValues } from "../start/reach-server.ts";

export const providersForm: CommandForm = {
  name: "providers",
  values: [...serverValues, "action", "name", "address", "api", "key-from", "offer"],
  switches: ["json"],
  argument: ["action", "name"],
};

export const providersHelp = `heddle providers: the providers of models, as in the app's settings

Examples
  heddle providers                                 every provider, its address, its key's state
  heddle providers add "House" --address http://127.0.0.1:8080/v1
  heddle providers add "Gateway" --address https://gw.example/v1 --key-from GATEWAY_KEY
  heddle providers test openai                     does its key work?
  heddle providers key openai --key-from OPENAI_KEY
  heddle providers address openai --address https://gw.example/v1
  heddle providers offer openai --offer gpt-5,gpt-5-mini
  heddle providers default openai/gpt-5            the model of new conversations
  heddle providers remove house

A key is read from the environment variable that --key-from names, never from the command line. "address" without
--address takes the usual one back, "offer" without --offer offers every known model. A test that fails exits with 1.

Flags
  --address URL   base address of the server
  --api FORMAT    the format it speaks; default: openai-chat
  --key-from VAR  the environment variable with the key
  --offer LIST    the provider's names of the models to offer
  --json          machine-readable output
  --url URL       the address of a running server, as it was printed
  --token TOKEN   its token                        HEDDLE_TOKEN
  --data DIR      the data folder                  HEDDLE_DATA`;

type Done = Promise<Result<unknown, Refusal>>;

/** Lists, adds, tests, changes or removes providers. */
export async function providersCommand(line: CommandLine, terminal: Terminal): Promise<number> {
  let hasFailed = false;
  const code = await atServer(line, terminal, async ({ client }) => {
    const done = await perform(line, terminal, client);
    hasFailed = done.ok && done.value === false;
    return done.ok ? ok(undefined) : done;
  });
  return code === 0 && hasFailed ? 1 : code;
}

async function perform(line: CommandLine, terminal: Terminal, client: HeddleClient): Done {
  const { action = "list", name, address, api, offer } = line.values;
  const key = keyOf(line, terminal);
  if (!key.ok) return key;
  const typed = {
    ...(address === undefined ? {} : { address }),
    ...(api === undefined ? {} : { api }),
    ...(key.value === null ? {} : { key: key.value }),
  };
  if (action === "list") return list(line, terminal, client);
  if (name === undefined) return err(wrong(`Which one? "heddle providers ${safeLine(action)} NAME".`));
  const provider = name;
  switch (action) {
    case "add": {
      if (address === undefined) return err(wrong("Give the server's address with --address."));
      const added = await client.call("provider.add", { name, ...typed, address });
      if (!added.ok) return added;
      terminal.print(added.value.provider);
      return test({ provider: added.value.provider }, { line, terminal, client });
    }
    case "test":
      return test({ provider, ...typed }, { line, terminal, client });
    case "key":
      return key.value === null
        ? client.call("provider.remove-key", { provider })
        : client.call("provider.set-key", { provider, key: key.value });
    case "address":
      return client.call("provider.change", { provider, address: address ?? null });
    case "offer":
      return client.call("provider.change", { provider, models: offer === undefined ? null : namesIn(offer) });
    case "default":
      return client.call("models.set-default", { model: name });
    case "remove":
      return client.call("provider.remove", { provider });
    default:
      return err(wrong("It is list, add, test, key, address, offer, default or remove."));
  }
}

async function list({ switches }: CommandLine, terminal: Terminal, client: HeddleClient): Done {
  const listed = await client.call("provider.list", {});
  if (!listed.ok) return listed;
  const { providers, defaultModel } = listed.value;
  if (switches.has("json")) terminal.print(JSON.stringify({ providers, defaultModel }));
  else {
    for (const { id, address, key, models } of providers) {
      const state = key.state === "set" ? `key from ${key.from}` : key.state.replaceAll("-", " ");
      terminal.print(safeLine(`${id}  ${address}  ${state}  ${models.length} models`));
    }
    terminal.note(safeLine(`New conversations use ${defaultModel.model}.`));
  }
  return listed;
}

/** Prints what a test found; the value is false where it failed. */
async function test(
  candidate: Parameters<typeof callTest>[1],
  given: { readonly line: CommandLine; readonly terminal: Terminal; readonly client: HeddleClient },
): Done {
  const { line, terminal, client } = given;
  const tested = await callTest(client, candidate);
  if (!tested.ok) return tested;
  const { problem, models } = tested.value;
  if (line.switches.has("json")) terminal.print(JSON.stringify(tested.value));
  else if (problem !== null) terminal.note(safeLine(problem.message));
  else terminal.note(models.length === 0 ? "It answers, but lists no models." : `It works and lists ${models.length}.`);
  return ok(problem === null);
}

function callTest(
  client: HeddleClient,
  candidate: { readonly provider: string; readonly address?: string; readonly api?: string; readonly key?: string },
) {
  return client.call("provider.test", candidate);
}

/** Reads the key from the variable that `--key-from` names; null without one. */
function keyOf({ values }: CommandLine, { env }: Terminal): Result<string | null, Refusal> {
  const variable = values["key-from"];
  if (variable === undefined) return ok(null);
  const key = env[variable];
  return key === undefined || key === "" ? err(wrong(`The variable ${safeLine(variable)} is not set.`)) : ok(key);
}

function namesIn(text: string): string[] {
  return text
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "");
}

function wrong(message: string): Refusal {
  return refusal("INVALID_PARAMS", {}, message);
}
