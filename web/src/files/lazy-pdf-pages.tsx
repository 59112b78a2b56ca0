import { fetched } from "../ui/fetched.tsx";

export const PdfPages = fetched(async () => (await import("./pdf-pages.tsx")).PdfPages);
