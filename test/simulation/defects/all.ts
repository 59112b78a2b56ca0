import type { Defect } from "../defect.ts";
import { defects as approvals } from "./approvals.ts";
import { defects as children } from "./children.ts";
import { defects as clock } from "./clock.ts";
import { defects as documents } from "./documents.ts";
import { defects as files } from "./files.ts";
import { defects as forest } from "./forest.ts";
import { defects as leases } from "./leases.ts";
import { defects as once } from "./once.ts";
import { defects as rooms } from "./rooms.ts";
import { defects as runs } from "./runs.ts";
import { defects as store } from "./store.ts";

/** The defects of each part of a server. */
export const defectsByPart: Readonly<Record<string, readonly Defect[]>> = {
  store,
  documents,
  runs,
  leases,
  forest,
  rooms,
  once,
  approvals,
  clock,
  children,
  files,
};
