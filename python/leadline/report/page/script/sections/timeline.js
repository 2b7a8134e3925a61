export const drawing = { render: () => [] };
