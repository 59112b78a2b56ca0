import { emptyParams } from "../parts.ts";

export const modelsCommands = { "models.list": emptyParams };
