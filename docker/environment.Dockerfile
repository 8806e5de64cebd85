# One environment: a thin layer over the shared base. Works with a read-only root file system.
ARG BASE
FROM ${BASE}
COPY environment/ /environment/
