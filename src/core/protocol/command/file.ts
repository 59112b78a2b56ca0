import * as v from "valibot";
import { onBlock, onWorkspace } from "../base/access.ts";
import { command } from "../base/command-row.ts";
import { searchWordsUnitsMax } from "../base/limits.ts";
import { shown, blockId, count, described, folderId, nothing, textUpTo } from "../base/parts.ts";
import { madeBlockId, madeFolderId } from "../shape/forest.ts";
import { trashEntry } from "../shape/trash.ts";

/** The text to keep after a conflict. */
export const keptSide = described(
  v.picklist(["ours", "theirs", "both"]),
  "The text to keep: the block's, the file's, or both merged.",
);

/** The path of a file, relative to the folder. */
export const filePath = v.pipe(
  textUpTo(4_096),
  v.description("Path of the file, relative to the folder."),
  v.examples(["notes/today.md"]),
);

/** Identifies the content of the file that a person decides about. */
export const decidedHash = v.pipe(
  textUpTo(64),
  v.description("Hash of the file's content that the decision is about, as in the block's `metadata.conflict`."),
  v.examples(["2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae"]),
);

/** The folder of a file; the default folder where it is left out. */
export const ofFolder = v.exactOptional(described(folderId, "Folder of the file; by default the default folder."));

/** A file of a folder. */
export const listedFile = v.object({
  path: v.pipe(v.string(), v.examples(["notes/today.md"])),
  blockId: described(v.nullable(madeBlockId), "null until the file is opened."),
  dirty: described(v.boolean(), "Whether the block has text that is not in the file yet."),
  gone: described(v.boolean(), "Whether the file was deleted on disk; its document keeps the last text."),
  conflict: described(
    v.boolean(),
    "Whether block and file have changes that cannot be merged; nothing is written until a person decides.",
  ),
  problem: described(
    v.nullable(shown("the file is not text")),
    "Why the file cannot be opened, read or written; null if no problem is known.",
  ),
});

const stepRefusals = [
  "FILE_NOT_FOUND",
  "FOLDER_NOT_FOUND",
  "FOLDER_AWAY",
  "FOLDER_READ_ONLY",
  "PATH_REFUSED",
  "CONFLICT",
  "FILE_CHANGED",
  "FILE_FAILED",
] as const;

export const fileCommands = {
  "file.list": command({
    description: "Lists files of a folder by letters of their path, ignoring case, open files first.",
    params: v.object({
      folderId: ofFolder,
      containing: v.exactOptional(
        described(v.pipe(textUpTo(searchWordsUnitsMax), v.examples(["notes"])), "Letters that the path contains."),
      ),
      openedOnly: v.exactOptional(
        described(v.boolean(), "Whether only open files are listed, without reading the disk."),
      ),
    }),
    access: onWorkspace("workspace.list"),
    answer: v.object({
      folderId: described(v.nullable(madeFolderId), "null if the server has no folder."),
      folder: described(v.nullable(shown("/home/ada/notes")), "null if the server has no folder."),
      files: v.array(listedFile),
      truncated: described(v.boolean(), "Whether there are more files."),
    }),
    refusals: ["FOLDER_NOT_FOUND", "FOLDER_AWAY", "FILE_FAILED"],
  }),
  "file.open": command({
    description: "Opens a file as a block, through which it is then read and edited.",
    params: v.object({
      folderId: ofFolder,
      path: filePath,
      asCanvas: v.exactOptional(
        described(
          v.boolean(),
          "Whether people and agents share it as a canvas: under an edit policy, with leases, suggestions and revisions.",
        ),
      ),
    }),
    access: onWorkspace("workspace.manage"),
    answer: v.object({ blockId: madeBlockId }),
    refusals: [
      "FILE_NOT_FOUND",
      "FOLDER_NOT_FOUND",
      "FOLDER_AWAY",
      "PATH_REFUSED",
      "FILE_NOT_TEXT",
      "BLOCK_TOO_LARGE",
      "FILE_FAILED",
    ],
  }),
  "file.attach": command({
    description:
      "Copies an image, a PDF or a text file of a folder to the blobs, as an upload does, to be shown or attached to a message.",
    params: v.object({ folderId: ofFolder, path: filePath }),
    access: onWorkspace("workspace.manage"),
    answer: v.object({
      blobId: shown("2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae"),
      size: described(count, "Bytes."),
      mediaType: shown("image/png"),
      name: shown("today.png", "The last name of the path."),
    }),
    refusals: [
      "FILE_NOT_FOUND",
      "FOLDER_NOT_FOUND",
      "FOLDER_AWAY",
      "PATH_REFUSED",
      "MEDIA_TYPE_REFUSED",
      "BLOB_TOO_LARGE",
      "BLOCK_TOO_LARGE",
      "STORE_FULL",
      "STORE_FAILED",
      "FILE_FAILED",
    ],
  }),
  "file.put": command({
    description:
      "Writes an uploaded blob as a new file of a folder, such as a picture that a document there shows; sent again, it changes nothing.",
    params: v.object({
      folderId: ofFolder,
      path: filePath,
      blobId: described(
        shown("2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae"),
        "The uploaded bytes.",
      ),
    }),
    access: onWorkspace("workspace.manage"),
    answer: v.object({ path: shown("notes/images/today.png", "Where the file is.") }),
    refusals: [
      "FOLDER_NOT_FOUND",
      "FOLDER_AWAY",
      "FOLDER_READ_ONLY",
      "PATH_REFUSED",
      "BLOB_NOT_FOUND",
      "BLOB_DAMAGED",
      "FILE_EXISTS",
      "FILE_CHANGED",
      "FILE_FAILED",
    ],
  }),
  "file.delete": command({
    description:
      "Moves a file to the trash: it leaves the disk, and `trash.restore` writes it back, byte for byte; refused when another program changes it at that moment.",
    params: v.object({ folderId: ofFolder, path: filePath }),
    access: onWorkspace("workspace.manage"),
    answer: v.object({ entry: trashEntry }),
    refusals: [...stepRefusals, "BLOCK_TOO_LARGE", "STORE_FULL", "STORE_FAILED"],
  }),
  "file.move": command({
    description:
      "Renames a file of a folder, or moves it to another place there, on disk too, creating missing folders and never overwriting.",
    params: v.object({ folderId: ofFolder, path: filePath, to: described(filePath, "The new path.") }),
    access: onWorkspace("workspace.manage"),
    answer: v.object({ blockId: madeBlockId, path: shown("notes/tomorrow.md", "The new path.") }),
    refusals: [...stepRefusals, "BLOCK_TOO_LARGE", "FILE_EXISTS", "CANVAS_LEASED"],
  }),
  "file.conflict": command({
    description: "Returns what another program wrote into a file that is in conflict with its document.",
    params: v.object({ blockId }),
    access: onBlock("document.read"),
    answer: v.object({
      theirs: described(v.string(), "The file's text."),
      hash: described(shown("2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae"), "For `file.resolve`."),
    }),
    refusals: ["FILE_NOT_FOUND", "FOLDER_AWAY", "CONFLICT", "FILE_NOT_TEXT", "FILE_FAILED"],
  }),
  "file.bring-back": command({
    description: "Writes a file again that was deleted on disk, from its document.",
    params: v.object({ blockId }),
    access: onBlock("document.edit"),
    answer: nothing,
    refusals: ["FILE_NOT_FOUND", "FOLDER_AWAY", "FILE_CHANGED", "FILE_FAILED"],
  }),
  "file.resolve": command({
    description: "Resolves a conflict between a block and its file.",
    params: v.object({ blockId, keep: keptSide, hash: decidedHash }),
    access: onBlock("document.edit"),
    answer: nothing,
    refusals: ["FILE_NOT_FOUND", "FOLDER_AWAY", "FILE_CHANGED", "FILE_FAILED"],
  }),
};
