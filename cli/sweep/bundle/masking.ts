// What is secret in the rows of most instruments, masked on their way into a bundle.
import { createHash } from "node:crypto";
import { textMasked } from "../../results/store/copy_sweep.ts";
import type { Masking, Row } from "./bundled_sweeps.ts";

/** Of instruments whose rows have secrets in URLs and by their names only. */
export const urlMasking = (): Masking => ({
  row: (table, row) => {
    const masked: Row = Object.fromEntries(
      Object.entries(row).map(([name, value]) => [name, typeof value === "string" ? textMasked(value) : value]),
    );
    // The digest of a plan that is masked would let its secrets be guessed: it is made anew.
    if (table === "sweep" && masked.plan !== row.plan)
      masked.plan_digest = createHash("sha256").update(String(masked.plan)).digest("hex");
    return masked;
  },
});
