# docker build -t hemlp .        (--build-arg EXTRAS=plot,obo,skos,parquet for Parquet files, 160 MB more)
# docker run --rm -v "$PWD:/data" hemlp evaluate taxonomy.txt gold.txt predictions.txt -m F_LCA
FROM python:3.13-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends gcc libc6-dev && rm -rf /var/lib/apt/lists/*
ARG EXTRAS=plot,obo,skos
WORKDIR /source
COPY . .
RUN python -m venv /opt/hemlp && /opt/hemlp/bin/pip install --no-cache-dir ".[$EXTRAS]"
RUN /opt/hemlp/bin/python -P -c "import hemlp.kernels; assert hemlp.kernels.COMPILED" \
    && /opt/hemlp/bin/pip uninstall -y pip \
    && find /opt/hemlp -name tests -type d -prune -exec rm -rf {} +

FROM python:3.13-slim
COPY --from=build /opt/hemlp /opt/hemlp
RUN useradd --create-home --uid 1000 hemlp && mkdir /data && chown hemlp /data
ENV PATH=/opt/hemlp/bin:$PATH PYTHONDONTWRITEBYTECODE=1
USER hemlp
WORKDIR /data
ENTRYPOINT ["hemlp"]
CMD ["--help"]
