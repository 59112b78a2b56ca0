import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { mcpConnector, mcpSignIn } from "../../../adapters/mcp/connect.ts";
import { RunningPrograms } from "../../../adapters/mcp/running-programs.ts";
import { refusal, type Refusal } from "../../../core/base/errors.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import { loadSkill } from "../../../core/tool/skill/skill-tools.ts";
import { allFeatures, toolSpecs } from "../../../core/tool/registry.ts";
import type { Platform } from "../../../core/port/platform.ts";
import type { Configuration } from "../../data/configuration.ts";
import type { DataDirectory, UserFolders } from "../../data/data-directory.ts";
import { turnTools } from "../../conversation/reply/turn-tools.ts";
import { AddedServers } from "../../mcp-servers/added-servers.ts";
import { openMcpServers, type McpServers } from "../../mcp-servers/mcp-servers.ts";
import { SignIns } from "../../mcp-servers/sign-ins.ts";
import type { SealedValues } from "../../base/sealed-values.ts";
import { packageVersion } from "../base/package-root.ts";

interface McpSources {
  readonly data: DataDirectory;
  readonly configuration: Configuration;
  readonly platform: Platform;
  readonly user: UserFolders;
  /** Receives sentences for the owner. */
  readonly note: (sentence: string) => void;
}

/** Opens the MCP servers that the owner wrote down; `folders`: where agents write now. Refused where a file was named that does not exist. */
export async function openMcp(
  { data, configuration, platform, user, note }: McpSources,
  { folders, sealed }: { readonly folders: () => readonly string[]; readonly sealed: SealedValues },
): Promise<Result<McpServers, Refusal>> {
  const named = configuration.mcpConfig;
  const file = named === undefined ? data.mcp : resolve(named);
  if (named !== undefined && !existsSync(file))
    return err(
      refusal("INVALID_PARAMS", { file }, `The file of MCP servers ${file} does not exist. Correct --mcp-config.`),
    );
  const programs = RunningPrograms.open(data.mcpRunning, (pid) => platform.logger.warn("mcp-program-left", { pid }));
  const servers = await openMcpServers({
    connect: mcpConnector(packageVersion(), programs),
    platform,
    file,
    stateFile: data.mcpState,
    added: new AddedServers({ file: data.mcpAdded, sealed }),
    folders,
    home: user.home,
    env: user.env,
    reserved: ownNames(),
    signIns: new SignIns({ sealed, begin: mcpSignIn(packageVersion()), platform }),
  });
  for (const problem of servers.file().problems) note(`MCP servers, ${file}: ${problem}.`);
  return ok(servers);
}

/** Returns the names of Heddle's own tools, whether offered here or not. */
function ownNames(): readonly string[] {
  const ofTurns = (["conversation", "sub-agent"] as const).flatMap((kind) => turnTools(kind).map(({ spec }) => spec));
  return [...toolSpecs(allFeatures), loadSkill, ...ofTurns].map(({ name }) => name);
}
