import type { Defect } from "../defect.ts";

export const defects: readonly Defect[] = [
  {
    name: "a call that was denied runs",
    file: "src/core/turn/rows/rows-of-rounds.ts",
    search: '    if (decision === "deny") return addResult(activeRound(state, context, event), denied(call, note));\n',
    replacement: "",
  },
  {
    name: "a file that other programs run is written unasked",
    file: "src/core/turn/judge/judge-call.ts",
    search: "  if (judged.writesRunByOthers === true && approved !== hash) {",
    replacement: '  if (judged.writesRunByOthers === true && approved !== hash && tier === "all") {',
  },
  {
    name: "a call that reaches outside is not asked about",
    file: "src/core/turn/judge/judge-call.ts",
    search: '    case "outward":\n      return reach.outward;',
    replacement: '    case "outward":\n      return false;',
  },
];
