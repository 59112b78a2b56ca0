/** An amount of US dollars as people read it: cents, with more digits where there is less than a cent. */
export function costWords(dollars: number, locale?: string): string {
  if (dollars > 0 && dollars < 0.0001) return `< ${format(0.0001, 4, locale)}`;
  return format(dollars, dollars !== 0 && dollars < 0.1 ? 4 : 2, locale);
}

function format(dollars: number, digits: number, locale: string | undefined): string {
  return new Intl.NumberFormat(locale, {
    style: "currency",
    currency: "USD",
    minimumFractionDigits: 2,
    maximumFractionDigits: digits,
  }).format(dollars);
}
