// The measures that figures of flows share, and page/narrow.js knows: it draws what is plotted narrower, and moves what is right of it.

export const width = 760;
/** Where what is plotted begins and ends; right of it stand the flows' numbers. */
export const axisLeft = 58;
export const axisRight = width - 30;
/** Of a row, above what is plotted. */
export const titleHeight = 22;
/** Of a flow's number. */
export const tagHeight = 12;
