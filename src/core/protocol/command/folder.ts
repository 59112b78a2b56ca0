import * as v from "valibot";
import { folderRights } from "../../base/folder.ts";
import { onWorkspace } from "../base/access.ts";
import { command } from "../base/command-row.ts";
import { described, folderId, nothing, shown, textUpTo, time, title } from "../base/parts.ts";
import { madeFolderId } from "../shape/forest.ts";

const folderName = v.pipe(title, v.description("Name of the folder, for people."), v.examples(["website"]));
const rights = v.pipe(
  v.picklist(folderRights),
  v.description(
    "What Heddle and its agents may do there: `read` files; also `write` them; also run `commands`. Each includes the ones before it.",
  ),
);
const branch = v.pipe(textUpTo(200), v.description("Branch to which file changes are committed now and then."));

/** A folder of this machine that conversations can work in. */
const listedFolder = v.object({
  id: madeFolderId,
  name: shown("website"),
  path: v.pipe(v.string(), v.description("Path on the server's machine."), v.examples(["/home/ada/website"])),
  rights: v.picklist(folderRights),
  branch: described(v.nullable(v.string()), "Branch to which file changes are committed; null: none."),
  trusted: described(
    v.nullable(v.boolean()),
    "Whether a person trusts the skills in the folder; null until a person was asked.",
  ),
  away: described(
    v.nullable(shown("nothing is at its path")),
    "Why the folder cannot be used now; nothing is read or written there. null: it can be used.",
  ),
  isDefault: described(v.boolean(), "Whether conversations begin in it when nothing else is said."),
  createdAt: time,
});

export const folderCommands = {
  "folder.list": command({
    description: "Lists the folders that conversations can work in.",
    params: v.object({}),
    access: onWorkspace("workspace.list"),
    answer: v.object({
      folders: v.array(listedFolder),
      canAdd: described(v.boolean(), "Whether the server can open further folders."),
    }),
  }),
  "folder.instructions": command({
    description: "Returns what agents are told about a folder before they begin: its AGENTS.md, and the skills.",
    params: v.object({ folderId: described(v.nullable(folderId), "null: only the owner's skills.") }),
    access: onWorkspace("workspace.list"),
    answer: v.object({
      agentsFiles: v.array(
        v.object({
          path: shown("AGENTS.md"),
          bytes: v.number(),
          inPrompt: described(
            v.boolean(),
            "Whether its text goes with each request; of the others models know the path.",
          ),
        }),
      ),
      skills: v.array(
        v.object({
          name: shown("release"),
          description: shown("How we release."),
          source: described(v.picklist(["data", "folder"]), "The owner's data folder, or this folder."),
          path: shown(".agents/skills/release/SKILL.md"),
          offered: described(
            v.boolean(),
            "Whether models may load it; a folder's skills only when a person trusts them.",
          ),
          problem: described(v.nullable(v.string()), "Why it is not offered; null: no problem."),
        }),
      ),
    }),
    refusals: ["FOLDER_NOT_FOUND"],
  }),
  "folder.add": command({
    description:
      "Adds a folder of the server's machine, brings a removed one back, or returns the one with this path; a folder that has another in its place is opened again.",
    params: v.object({
      path: v.pipe(textUpTo(4_096), v.description("Absolute path."), v.examples(["/home/ada/website"])),
      name: v.exactOptional(described(folderName, "Defaults to the last name of the path.")),
      rights: v.exactOptional(described(rights, "Defaults to everything the server allows.")),
      branch: v.exactOptional(v.nullable(branch)),
    }),
    access: onWorkspace("workspace.set"),
    answer: v.object({ folderId: madeFolderId }),
    refusals: ["INVALID_PARAMS", "FORBIDDEN", "FILE_FAILED"],
  }),
  "folder.rename": command({
    description: "Renames a folder for people; on disk nothing changes.",
    params: v.object({ folderId, name: folderName }),
    access: onWorkspace("workspace.set"),
    answer: nothing,
    refusals: ["FOLDER_NOT_FOUND"],
  }),
  "folder.set-rights": command({
    description: "Sets what Heddle and its agents may do in a folder, from the next call on.",
    params: v.object({ folderId, rights }),
    access: onWorkspace("workspace.set"),
    answer: nothing,
    refusals: ["FOLDER_NOT_FOUND"],
  }),
  "folder.set-branch": command({
    description: "Sets the branch to which changes of the folder's files are committed, from the next start on.",
    params: v.object({ folderId, branch: v.nullable(branch) }),
    access: onWorkspace("workspace.set"),
    answer: nothing,
    refusals: ["FOLDER_NOT_FOUND"],
  }),
  "folder.trust": command({
    description:
      "Says whether the skills in a folder may be offered to models; they are instructions by whoever wrote them.",
    params: v.object({ folderId, trusted: v.boolean() }),
    access: onWorkspace("workspace.set"),
    answer: nothing,
    refusals: ["FOLDER_NOT_FOUND"],
  }),
  "folder.remove": command({
    description:
      "Removes a folder from Heddle: its files stay on disk, its conversations can be read, and adding its path again brings it back.",
    params: v.object({ folderId }),
    access: onWorkspace("workspace.set"),
    answer: nothing,
    refusals: ["FOLDER_NOT_FOUND", "CONFLICT"],
  }),
};
