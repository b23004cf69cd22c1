// For its effect only: it serves the ports that are sent to it.
export {};
