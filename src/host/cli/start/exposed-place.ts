import { isAbsolute, relative, sep } from "node:path";
import { readFilePath } from "../../../core/base/file-path.ts";
import { refusal, type Refusal } from "../../../core/base/errors.ts";
import type { Configuration } from "../../data/configuration.ts";
import { dataDirectoryAt, platformConfigurationFolder, type UserFolders } from "../../data/data-directory.ts";
import { folderAround } from "../../mcp-servers/exposed-programs.ts";
import { realPlace } from "../../mcp-servers/lies-in.ts";

/**
 * Returns the first of the places, files or folders, that agents could reach by a path in the workspace folder, with links
 * followed; null where there is none. Agents cannot reach what is below a `.heddle` folder there.
 */
export async function exposedPlace(workspace: string, places: readonly string[]): Promise<string | null> {
  const root = await realPlace(workspace);
  for (const place of places) {
    const path = relative(root, await realPlace(place))
      .split(sep)
      .join("/");
    if (path === ".." || path.startsWith("../") || isAbsolute(path)) continue;
    if (path === "" || readFilePath(path).ok) return place;
  }
  return null;
}

/**
 * Refuses a folder with Heddle's own files, and one among them: agents read and write there, and must not reach the token,
 * the keys, the settings, or what was stored.
 */
export async function exposedRefusal(
  configuration: Pick<Configuration, "workspace" | "data" | "models">,
  user: UserFolders,
): Promise<Refusal | null> {
  const { workspace, data, models } = configuration;
  if (workspace === undefined) return null;
  const settings = platformConfigurationFolder(user);
  const { blobs, backups, logs, skills } = dataDirectoryAt(data);
  const around = await folderAround(workspace, [settings, blobs, backups, logs, skills]);
  if (around !== null) {
    const message = `The folder ${workspace} lies in ${around}, where Heddle keeps its own files. Choose another folder.`;
    return refusal("INVALID_PARAMS", { place: around, workspace }, message);
  }
  const own = [data, settings, ...(models === undefined ? [] : [models])];
  const place = await exposedPlace(workspace, own);
  if (place === null) return null;
  const message =
    place === models
      ? `The models of ${place} lie in the workspace folder ${workspace}, where agents could send a provider's key elsewhere. ` +
        "Move the file out, or into a folder .heddle there."
      : `${place} lies in the workspace folder ${workspace}, where agents could read and write the token, the keys and the ` +
        "settings in it. Choose another --workspace, or move it out (--data, XDG_CONFIG_HOME), or into a folder .heddle there.";
  return refusal("INVALID_PARAMS", { place, workspace }, message);
}
