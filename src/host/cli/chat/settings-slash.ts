import { serverToolForm, serverToolKinds } from "../../../core/model/server-tool.ts";
import {
  approvalTiers,
  compactAtMax,
  compactAtMin,
  readCompactAt,
  thinkingLevels,
} from "../../../core/forest/run-rules.ts";
import { listOf, promptOf } from "../base/reply-flags.ts";
import { safeLine, safeText } from "../base/safe-text.ts";
import { didYouMean } from "./ask-person.ts";
import type { Settings, SettingsChange } from "./conversation-settings.ts";
import type { SlashCommand, SlashContext } from "./slash-context.ts";

/** What restores the server's setting. */
const restores = "default";

/** The families of tools, and single tools that belong to none. */
const families = ["canvas", "blocks", "files", "shell", "spawn_sub_agents", "ask_user"];

/** How many lines of a system prompt are shown. */
const promptLinesMax = 20;

/** The commands for the settings of a conversation. Without words, each shows the current one. */
export const settingCommands: Readonly<Record<string, SlashCommand>> = {
  settings: { use: "/settings", about: "show the settings of the conversation", run: showSettings },
  title: { use: "/title [TITLE]", about: "show or set the title", run: setTitle },
  system: {
    use: "/system [TEXT | @NAME | default]",
    about: "show or set the system prompt; @NAME takes a named one",
    run: setSystem,
  },
  effort: {
    use: "/effort [LEVEL | default]",
    about: `show or set how much the model thinks: ${thinkingLevels.join(", ")}`,
    run: setEffort,
  },
  tools: {
    use: "/tools [off A,B | on A,B | default]",
    about: "show the tools that the model does without; switch tools or families off and on",
    run: setTools,
  },
  fallback: {
    use: "/fallback [A,B | none]",
    about: "show or set the models that answer when the model does not",
    run: setFallback,
  },
  "server-tools": {
    use: "/server-tools [A,B | none]",
    about:
      "show or set the tools that the provider runs itself: web-search, code-execution, url-context, file-search:STORE",
    run: setServerTools,
  },
  approvals: {
    use: "/approvals [TIER | default]",
    about: `show or set which calls need you: ${approvalTiers.join(", ")}`,
    run: setApprovals,
  },
  "compact-at": {
    use: "/compact-at [SHARE | off | default]",
    about: `show or set how full the window is, in percent, when earlier messages are summed up`,
    run: setCompactAt,
  },
};

function showSettings({ settings, model, face }: SlashContext): void {
  face.line(`  model        ${safeLine(model ?? "the server's default")}`);
  for (const [name, words] of shown(settings)) face.line(`  ${name.padEnd(12)} ${words}`);
  face.aside(
    "  /model, /title, /system, /effort, /tools, /fallback, /server-tools, /approvals and /compact-at change them.",
  );
}

function shown(settings: Settings): readonly (readonly [string, string])[] {
  return [
    ["title", titleWords(settings)],
    ["system", systemWords(settings)],
    ["effort", settings.thinking ?? "the server's default"],
    ["tools", toolWords(settings)],
    ["fallback", fallbackWords(settings)],
    ["server-tools", serverToolWords(settings)],
    ["approvals", settings.approvals ?? "the server's default"],
    ["compact-at", compactWords(settings)],
  ];
}

function titleWords({ title }: Settings): string {
  return title === undefined ? "from the first message" : safeLine(title);
}

function systemWords({ systemPrompt }: Settings): string {
  if (systemPrompt === undefined) return "Heddle's own";
  const [first = "", ...rest] = systemPrompt.split("\n");
  const line = safeLine(first);
  return rest.length > 0 || line.length > 70 ? `${line.slice(0, 70)}…  (/system shows all of it)` : line;
}

function toolWords({ toolsOff = [] }: Settings): string {
  return toolsOff.length === 0 ? "all" : `without ${toolsOff.map(safeLine).join(", ")}`;
}

function fallbackWords({ fallbacks = [] }: Settings): string {
  return fallbacks.length === 0 ? "none" : fallbacks.map(safeLine).join(", ");
}

function serverToolWords({ serverTools = [] }: Settings): string {
  return serverTools.length === 0 ? "none" : serverTools.map(safeLine).join(", ");
}

function compactWords({ compaction }: Settings): string {
  if (compaction?.at === undefined) return "the server's default";
  return compaction.at === "off" ? "off" : `${compaction.at} % of the window`;
}

/** Changes a setting and says so. */
async function set(context: SlashContext, change: SettingsChange, done: string): Promise<void> {
  const result = await context.settle(change);
  if (!result.ok) return context.refused(result.error, "The settings were not changed.");
  context.face.aside(`✓ ${done}`, "good");
}

function setTitle(context: SlashContext, words: string): void | Promise<void> {
  if (words === "") return context.face.aside(`The title: ${titleWords(context.settings)}`);
  return set(context, { title: words }, `The conversation is called ${safeLine(words)}.`);
}

async function setSystem(context: SlashContext, words: string): Promise<void> {
  const { face, settings, client } = context;
  if (words === "") {
    if (settings.systemPrompt === undefined) return face.aside("The system prompt is Heddle's own.");
    const lines = safeText(settings.systemPrompt).split("\n");
    for (const line of lines.slice(0, promptLinesMax)) face.line(line);
    if (lines.length > promptLinesMax) face.aside(`… ${lines.length - promptLinesMax} more lines`);
    return face.aside("/system TEXT replaces it; /system default takes Heddle's own.");
  }
  if (words === restores) return set(context, { systemPrompt: null }, "The system prompt is Heddle's own again.");
  const prompt = await promptOf(words, client);
  if (!prompt.ok) return context.refused(prompt.error, "The system prompt was not changed.");
  return set(context, { systemPrompt: prompt.value }, "The system prompt counts from your next message on.");
}

function setEffort(context: SlashContext, words: string): void | Promise<void> {
  const { face, settings } = context;
  if (words === "") return face.aside(`Thinking: ${settings.thinking ?? "the server's default"}`);
  if (words === restores) return set(context, { thinking: null }, "The model thinks as the server is set.");
  const level = thinkingLevels.find((each) => each === words);
  if (level === undefined) return face.aside(unknown("level", words, [...thinkingLevels, restores]), "warning");
  return set(context, { thinking: level }, `Thinking: ${level}, where the model can.`);
}

function setTools(context: SlashContext, words: string): void | Promise<void> {
  const { face, settings } = context;
  const off = settings.toolsOff ?? [];
  if (words === "") {
    face.aside(`Tools: ${toolWords(settings)}`);
    return face.aside(`Families: ${families.join(", ")}. A tool may be named by itself.`);
  }
  if (words === restores) return set(context, { toolsOff: null }, "The model gets all tools.");
  const [way = "", ...rest] = words.split(/\s+/u);
  const names = listOf(rest.join(" ").replaceAll(/\s+/gu, ","));
  if ((way !== "on" && way !== "off") || names.length === 0) {
    return face.aside("Write /tools off shell,canvas or /tools on shell; /tools default switches all on.", "warning");
  }
  const others = off.filter((each) => !names.includes(each));
  const next = way === "off" ? [...others, ...names] : others;
  const already = way === "on" && next.length === off.length;
  if (already) return face.aside(`${names.map(safeLine).join(", ")} was not off. Off: ${off.join(", ") || "none"}.`);
  return set(context, { toolsOff: next }, `Tools from your next message on: ${toolWords({ toolsOff: next })}.`);
}

function setFallback(context: SlashContext, words: string): void | Promise<void> {
  const { face, settings } = context;
  if (words === "") return face.aside(`Fallback: ${fallbackWords(settings)}`);
  if (words === "none" || words === restores) return set(context, { fallbacks: null }, "No other model steps in.");
  const fallbacks = listOf(words.replaceAll(/\s+/gu, ","));
  return set(context, { fallbacks }, `When the model does not answer: ${fallbackWords({ fallbacks })}.`);
}

function setServerTools(context: SlashContext, words: string): void | Promise<void> {
  const { face, settings } = context;
  if (words === "") return face.aside(`Tools of the provider: ${serverToolWords(settings)}`);
  if (words === "none" || words === restores) return set(context, { serverTools: null }, "The provider runs no tools.");
  const serverTools = listOf(words.replaceAll(/\s+/gu, ","));
  const wrong = serverTools.find((name) => !serverToolForm.test(name));
  if (wrong !== undefined)
    return face.aside(
      unknown("tool of a provider", wrong, [...serverToolKinds.slice(0, 3), "file-search:STORE"]),
      "warning",
    );
  return set(context, { serverTools }, `The provider runs, where it has them: ${serverToolWords({ serverTools })}.`);
}

function setApprovals(context: SlashContext, words: string): void | Promise<void> {
  const { face, settings } = context;
  if (words === "") return face.aside(`Calls that need you: ${settings.approvals ?? "the server's default"}`);
  if (words === restores) return set(context, { approvals: null }, "Approvals are as the server is set.");
  const tier = approvalTiers.find((each) => each === words);
  if (tier === undefined) return face.aside(unknown("tier", words, [...approvalTiers, restores]), "warning");
  return set(context, { approvals: tier }, `Calls that need you: ${tier}.`);
}

function setCompactAt(context: SlashContext, words: string): void | Promise<void> {
  const { face, settings } = context;
  const { at: _before, ...others } = settings.compaction ?? {};
  if (words === "") return face.aside(`Earlier messages are summed up at: ${compactWords(settings)}`);
  if (words === restores) {
    const left = Object.keys(others).length === 0 ? null : others;
    return set(context, { compaction: left }, "Earlier messages are summed up as the server is set.");
  }
  const at = readCompactAt(words);
  if (at === null) {
    const kinds = `${compactAtMin} to ${compactAtMax} (percent of the window), off or ${restores}`;
    return face.aside(`/compact-at takes ${kinds}; not ${safeLine(words)}. Nothing was changed.`, "warning");
  }
  const compaction = { ...others, at };
  return set(context, { compaction }, `Earlier messages are summed up at: ${compactWords({ compaction })}.`);
}

function unknown(what: string, typed: string, known: readonly string[]): string {
  return `There is no ${what} ${safeLine(typed)}.${didYouMean(typed, known)} It is one of ${known.join(", ")}. Nothing was changed.`;
}
