// Messages by size, in classes of powers of two.

import { count, size } from "../format.js";
import { sizesOf } from "../size_classes.js";

export const drawing = {
  remark: (report) =>
    `${count(report.totals.messages)} messages, ${size(report.totals.message_bytes)} in total, by power-of-two size range. Collectives are not included.`,
  render: (report) => sizesOf(report.size_histogram, report.sizes, "messages"),
};
