import { fetched } from "../ui/fetched.tsx";

export const TrashDialog = fetched(async () => (await import("./trash-dialog.tsx")).TrashDialog);
