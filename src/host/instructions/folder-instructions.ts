import type { FolderId } from "../../core/base/ids.ts";
import type { FileTree } from "../../core/port/file-tree.ts";
import type { Store } from "../../core/port/store.ts";
import { readSkill, type Skill } from "../../core/tool/skill/read-skill.ts";
import type { Reach } from "../access/reach.ts";
import type { Folders } from "../files/folder-types.ts";
import { textOf } from "../files/file-block.ts";
import type { WorkspaceFiles } from "../files/workspace-files-types.ts";
import { withinReach } from "../tool/folder-within-reach.ts";

/** A file of instructions for agents. */
interface AgentsFile {
  /** From the folder. */
  readonly path: string;
  readonly bytes: number;
  /** Whether its text is in the prompt; the others are named there. */
  readonly inPrompt: boolean;
}

/** A skill, or a SKILL.md that is none. */
interface FoundSkill {
  readonly name: string;
  readonly description: string;
  /** The owner's data folder, or the conversation's folder. */
  readonly source: "data" | "folder";
  readonly path: string;
  /** Whether models may load it: skills of a folder only when a person trusts them. */
  readonly offered: boolean;
  /** Why it is no skill; null: it is one. */
  readonly problem: string | null;
}

/** What agents are told about a folder before they begin. */
export interface Instructions {
  /** The text of the nearest AGENTS.md; empty without one. */
  readonly text: string;
  readonly agentsFiles: readonly AgentsFile[];
  readonly skills: readonly FoundSkill[];
  /** The skills that models may load, by name. */
  readonly skillsByName: ReadonlyMap<string, Skill>;
}

/** The most text of AGENTS.md that goes with each request, in UTF-16 units. */
export const agentsUnitsMax = 32_000;
const skillsMax = 100;
/** Where the skills of a folder are. */
const folderSkill = /^\.(?:agents|claude)\/skills\/[^/]+\/SKILL\.md$/;
const dataSkill = /^[^/]+\/SKILL\.md$/;

export interface InstructionSources {
  readonly folders: Folders;
  /** The skills of the data folder; null without one. */
  readonly skills: FileTree | null;
  readonly store: Pick<Store, "block">;
}

/**
 * Reads the instructions for a conversation's folder as they are now; a folder that is away has none. Files that `reach` does not
 * know of are not there.
 */
export async function readInstructions(
  { folders, skills: ownSkills, store }: InstructionSources,
  folderId: FolderId | null,
  reach: Reach | null = null,
): Promise<Instructions> {
  const own = ownSkills === null ? [] : await skillsOfData(ownSkills);
  const used = folderId === null ? null : await folders.use(folderId);
  if (used?.ok !== true) return { text: "", agentsFiles: [], ...gathered(own) };
  const { folder, files } = withinReach(used.value, reach, store);
  const listed = await files.paths();
  const paths = listed.ok ? listed.value.paths : [];
  const text = await textIn(files, "AGENTS.md");
  const agentsFiles: AgentsFile[] =
    text === null ? [] : [{ path: "AGENTS.md", bytes: Buffer.byteLength(text), inPrompt: true }];
  for (const path of paths.filter((each) => each.endsWith("/AGENTS.md"))) {
    agentsFiles.push({ path, bytes: Buffer.byteLength((await textIn(files, path)) ?? ""), inPrompt: false });
  }
  const found: ReadSkill[] = [];
  for (const path of paths.filter((each) => folderSkill.test(each)).slice(0, skillsMax)) {
    const read = await textIn(files, path);
    if (read !== null) found.push(asFound(read, { source: "folder", path, offered: folder.trusted === true }));
  }
  return { text: text ?? "", agentsFiles, ...gathered([...own, ...found]) };
}

interface ReadSkill {
  readonly found: FoundSkill;
  readonly skill: Skill | null;
}

function asFound(text: string, place: Pick<FoundSkill, "source" | "path" | "offered">): ReadSkill {
  const skill = readSkill(text);
  if (skill.ok) {
    const { name, description } = skill.value;
    return { found: { ...place, name, description, problem: null }, skill: skill.value };
  }
  const name = place.path.split("/").at(-2) ?? "";
  return { found: { ...place, name, description: "", offered: false, problem: skill.error }, skill: null };
}

/** Of several skills with one name the first is offered: the owner's own go before a folder's. */
function gathered(all: readonly ReadSkill[]): Pick<Instructions, "skills" | "skillsByName"> {
  const skillsByName = new Map<string, Skill>();
  const skills = all.map(({ found, skill }): FoundSkill => {
    if (skill === null || !found.offered) return found;
    if (skillsByName.has(found.name)) return { ...found, offered: false, problem: "another skill has this name" };
    skillsByName.set(found.name, skill);
    return found;
  });
  return { skills, skillsByName };
}

async function skillsOfData(tree: FileTree): Promise<readonly ReadSkill[]> {
  const listed = await tree.list();
  if (!listed.ok) return [];
  const found: ReadSkill[] = [];
  for (const path of listed.value.paths.filter((each) => dataSkill.test(each)).slice(0, skillsMax)) {
    const read = await tree.read(path);
    const text = read.ok && read.value !== null ? textOf(read.value) : null;
    if (text?.ok === true) found.push(asFound(text.value, { source: "data", path, offered: true }));
  }
  return found;
}

async function textIn(files: WorkspaceFiles, path: string): Promise<string | null> {
  const read = await files.read(path);
  return read.ok ? read.value.text : null;
}
