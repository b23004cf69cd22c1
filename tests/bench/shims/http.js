export const STATUS_CODES = {};
