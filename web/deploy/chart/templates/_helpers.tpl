{{/* Name of the application in labels. */}}
{{- define "dashboard.name" -}}
{{ default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{/* Name of the objects: different for each release of a namespace. A Service's name has at most 63 characters. */}}
{{- define "dashboard.fullname" -}}
{{- $name := include "dashboard.name" . -}}
{{- if .Values.fullnameOverride -}}
{{ .Values.fullnameOverride }}
{{- else if contains $name .Release.Name -}}
{{ .Release.Name | trunc 63 | trimSuffix "-" }}
{{- else -}}
{{ printf "%s-%s" .Release.Name $name | trunc 63 | trimSuffix "-" }}
{{- end -}}
{{- end }}

{{/* Labels that select the pods of this release. A Deployment's selector cannot be changed. */}}
{{- define "dashboard.selector" -}}
app.kubernetes.io/name: {{ include "dashboard.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{/* Name, namespace and labels of an object. */}}
{{- define "dashboard.metadata" -}}
name: {{ include "dashboard.fullname" . }}
namespace: {{ .Release.Namespace }}
{{ include "dashboard.labels" . }}
{{- end }}

{{- define "dashboard.labels" -}}
labels:
  {{- include "dashboard.selector" . | nindent 2 }}
  app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
  app.kubernetes.io/managed-by: {{ .Release.Service }}
  helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{- end }}

{{/* Image of a container: (list image defaultTag). */}}
{{- define "dashboard.image" -}}
{{- $image := first . -}}
image: {{ printf "%s:%s" $image.repository (default (last .) $image.tag) | quote }}
imagePullPolicy: {{ $image.pullPolicy }}
{{- end }}

{{- define "dashboard.securityContext" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
{{- end }}

{{/*
Text of a file of nginx: (list context path). A clone without symbolic links (Windows) has the path of the target in place of the
text, with which nginx would not start.
*/}}
{{- define "dashboard.file" -}}
{{- $text := (first .).Files.Get (printf "files/%s" (last .)) -}}
{{- if not (contains ";" $text) -}}
{{- fail (printf "files/%s is not the configuration of nginx: clone with core.symlinks=true, or use the packed chart of a release" (last .)) -}}
{{- end -}}
{{ $text | trimSuffix "\n" }}
{{- end }}

{{/* Files of nginx, as the data of a ConfigMap. The schema of `hosts` and `ingress.host` permits no character that has a meaning to nginx. */}}
{{- define "dashboard.config" -}}
{{- $hosts := .Values.hosts -}}
{{- if .Values.ingress.enabled -}}
{{- $hosts = append $hosts .Values.ingress.host -}}
{{- end -}}
nginx.conf: |
  {{- include "dashboard.file" (list . "nginx.conf") | nindent 2 }}
listen.conf: |
  {{- include "dashboard.file" (list . "listen.conf") | nindent 2 }}
hosts.conf: |
  {{- include "dashboard.file" (list . "hosts.conf") | nindent 2 }}
  {{- /* nginx compares without case, and rejects a name that is there twice. */}}
  {{- range $hosts | join " " | lower | splitList " " | compact | uniq }}
  {{ . }} 0;
  {{- end }}
upstream.conf: |
  {{- include "dashboard.file" (list . (printf "upstream/%s.conf" .Values.mode)) | nindent 2 }}
{{- end }}
