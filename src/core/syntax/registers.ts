/** What registers hold; they are set by runs and live as long as what was opened. */
export interface Registers {
  [register: string]: string;
}

/** No register holds anything; never written to. */
export const noRegisters: Registers = Object.freeze({});

/** A text with `{register}` replaced. */
export function filled(template: string, registers: Registers): string {
  if (!template.includes("{")) return template;
  return template.replaceAll(/\{(\w+)\}/g, (whole, register: string) => registers[register] ?? whole);
}
