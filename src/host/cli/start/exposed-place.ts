import { isAbsolute, relative, sep } from "node:path";
import { readFilePath } from "../../../core/base/file-path.ts";
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
