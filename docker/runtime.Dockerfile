# The base of every environment's image: Python, Flask, waitress and the runtime. Built once, shared by all.
# The context holds app/, laid out as it is to be found below /opt/webanything. Nothing is fetched.
ARG PYTHON=python:3.13-slim
FROM ${PYTHON}

COPY app/ /opt/webanything/
RUN ["python", "-m", "compileall", "-q", "--invalidation-mode", "unchecked-hash", "/opt/webanything"]

ENV PYTHONPATH=/opt/webanything \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1
WORKDIR /opt/webanything
# A number, so that an orchestrator can see that it is not root; nobody of that number exists in the image.
USER 10001:10001
# 8080 is the site, 8081 its control plane (WEBANYTHING_TOKEN; if it is not set, the first line of the log has one).
EXPOSE 8080 8081
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=2s --timeout=3s --start-period=20s --retries=5 \
    CMD ["python", "-I", "-S", "/opt/webanything/environments/runtime/health.py", "8081"]
ENTRYPOINT ["python", "-m", "environments.runtime.serve", "--environment", "/environment", \
    "--host", "0.0.0.0", "--port", "8080", "--control-port", "8081"]
