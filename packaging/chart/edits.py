"""What of the manifests in packaging/kustomize a value of the chart decides. All else is in the chart as it is there."""


def when(condition, *lines):
    """Lines that are there on that condition alone."""
    return "\n".join([f"{{{{- if {condition} }}}}", *lines, "{{- end }}"])


def workload(name, port, values, requests, limit, sets_arguments=(), more=()):
    """Edits of the Deployment or DaemonSet elbowroom-NAME: [(the text there, the text here)]."""
    image = f"{values}.image"
    arguments = [*sets_arguments, f"{{{{- range {values}.args }}}}", "        - {{ toJson . }}", "{{- end }}"]
    return [
        ("      affinity:", "\n".join([
            when(".Values.imagePullSecrets", "      imagePullSecrets: {{ toJson .Values.imagePullSecrets }}"),
            when(f"{values}.nodeSelector", f"      nodeSelector: {{{{ toJson {values}.nodeSelector }}}}"), "      affinity:"])),
        (f"        image: localhost/elbowroom-{name}",
         f'        image: "{{{{ {image}.repository }}}}:{{{{ or {image}.tag .Chart.AppVersion }}}}'
         f'{{{{ if {image}.digest }}}}@{{{{ {image}.digest }}}}{{{{ end }}}}"'),
        ("        imagePullPolicy: Never  # it is imported; whatever listens at the node's own port 443 is not asked for it",
         f'        imagePullPolicy: {{{{ ternary "Never" "IfNotPresent" (hasPrefix "localhost/" {image}.repository) }}}}'),
        (f"        - --listen=0.0.0.0:{port}", f'        - "--listen={{{{ .Values.listen }}}}:{port}"'),
        ("        - --log-format=json", "\n".join(["        - --log-format=json", *arguments])),
        (f"        resources:\n          requests: {{{requests}}}\n          limits: {{{limit}}}",
         f"        resources: {{{{ toJson {values}.resources }}}}"),
        *more]


def of_deployment(values):
    """Edits of what a Deployment alone has."""
    return [("  replicas: 2", f"  replicas: {{{{ {values}.replicas }}}}"),
            ("      priorityClassName: system-cluster-critical", "\n".join([
                "      priorityClassName: system-cluster-critical",
                when(f"{values}.tolerations", f"      tolerations: {{{{ toJson {values}.tolerations }}}}")]))]


SCRAPERS = [("{kubernetes.io/metadata.name: monitoring}", "{kubernetes.io/metadata.name: {{ toJson .Values.metrics.namespace }}}"),
            ("{app.kubernetes.io/name: prometheus}", "{app.kubernetes.io/name: {{ toJson .Values.metrics.app }}}")]
WEBHOOK = ".Values.rescheduler.webhook"
COMPANION = ".Values.agent.companion"
OF_COMPANION = [
    ("      # No priorityClassName: on a full node it waits, and no pod is removed for one that observes. docs/install.md",
     when(f"{COMPANION}.priorityClassName", f"      priorityClassName: {{{{ toJson {COMPANION}.priorityClassName }}}}")),
    ("      tolerations:\n      - operator: Exists",
     when(f"{COMPANION}.tolerations", f"      tolerations: {{{{ toJson {COMPANION}.tolerations }}}}"))]
IS_FULL = 'eq .Values.scheduler.mode "full"'

SCHEDULER_ARGUMENTS = [
    when(IS_FULL, "        - --mode=full",
         when('ne .Values.scheduler.schedulerName "elbowroom"', "        - --scheduler-name={{ .Values.scheduler.schedulerName }}"))]
RESCHEDULER_ARGUMENTS = [
    when(f"{WEBHOOK}.enabled", '        - "--webhook-listen={{ .Values.listen }}:10443"', "        - --webhook-cert=/etc/elbowroom/webhook/tls.crt",
         "        - --webhook-key=/etc/elbowroom/webhook/tls.key",
         when(f'ne {WEBHOOK}.path "/review"', f"        - --webhook-path={{{{ {WEBHOOK}.path }}}}"))]
# As packaging/kustomize/rescheduler-webhook patches them in.
RESCHEDULER_VOLUMES = [
    ("        runAsGroup: 65532", "\n".join(["        runAsGroup: 65532", when(f"{WEBHOOK}.enabled", "        fsGroup: 65532")])),
    ("        - {name: http, containerPort: 10363}", "\n".join([
        "        - {name: http, containerPort: 10363}", when(f"{WEBHOOK}.enabled", "        - {name: webhook, containerPort: 10443}")])),
    ("          capabilities: {drop: [ALL]}", "\n".join(["          capabilities: {drop: [ALL]}", when(
        f"{WEBHOOK}.enabled", "        volumeMounts:", "        - {name: webhook, mountPath: /etc/elbowroom/webhook, readOnly: true}",
        "      volumes:", "      - name: webhook", "        secret: {secretName: elbowroom-rescheduler-webhook, defaultMode: 0440}")]))]
WEBHOOK_PORT = ("    - {protocol: TCP, port: http}", "\n".join([
    "    - {protocol: TCP, port: http}", when(f"{WEBHOOK}.enabled", "  - ports:", "    - {protocol: TCP, port: webhook}",
                                              when(f"{WEBHOOK}.from", f"    from: {{{{ toJson {WEBHOOK}.from }}}}"))]))
WEBHOOK_CONFIGURATION = [
    ("""  # cert-manager fills in the caBundle from the Certificate that makes the Secret:
  # annotations:
  #   cert-manager.io/inject-ca-from: kube-system/elbowroom-rescheduler-webhook""",
     when(f"{WEBHOOK}.annotations", f"  annotations: {{{{ toJson {WEBHOOK}.annotations }}}}")),
    ("      path: /review", f"      path: {{{{ {WEBHOOK}.path }}}}"),
    ("    # caBundle: base64 of the authority's certificate in PEM",
     when(f"{WEBHOOK}.caBundle", f"    caBundle: {{{{ toJson {WEBHOOK}.caBundle }}}}")),
    ("""  # Deletes count only where the rescheduler's configuration names users or groups in webhook.deletesBy.
  # Then every delete of a pod waits for the webhook:
  # - operations: [DELETE]
  #   apiGroups: [""]
  #   apiVersions: [v1]
  #   resources: [pods]
  #   scope: Namespaced""",
     when(f"{WEBHOOK}.reviewDeletes", "  - operations: [DELETE]", '    apiGroups: [""]', "    apiVersions: [v1]", "    resources: [pods]",
          "    scope: Namespaced")),
    ("  timeoutSeconds: 5", f"  timeoutSeconds: {{{{ {WEBHOOK}.timeoutSeconds }}}}"),
    ("  failurePolicy: Ignore", f"  failurePolicy: {{{{ {WEBHOOK}.failurePolicy }}}}"),
    ("      values: [kube-system]",
     '      values: [kube-system{{ if ne .Release.Namespace "kube-system" }}, {{ toJson .Release.Namespace }}{{ end }}]')]

# {file: (the condition on which it is there, {kind: edits of its objects})}
FILES = {
    "crd/disruptionbudget.yaml": (".Values.crds.enabled", {"CustomResourceDefinition": [
        ("  name: disruptionbudgets.elbowroom.dev",
         "  name: disruptionbudgets.elbowroom.dev\n  annotations: {helm.sh/resource-policy: keep}  # with it all budgets would go")]}),
    "agent/rights.yaml": (".Values.agent.enabled", {}),
    "agent/guard.yaml": (".Values.agent.enabled", {}),
    "companion/daemonset.yaml": (f"and .Values.agent.enabled {COMPANION}.enabled", {
        "DaemonSet": [*workload("agent", 10361, COMPANION, "cpu: 10m, memory: 24Mi", "memory: 128Mi"), *OF_COMPANION],
        "NetworkPolicy": SCRAPERS}),
    "evict/rights.yaml": (".Values.evict.enabled", {}),
    "evict/guard.yaml": (".Values.evict.enabled", {}),
    "scheduler/rights.yaml": (".Values.scheduler.enabled", {}),
    "scheduler/guard.yaml": (".Values.scheduler.enabled", {}),
    "scheduler/deployment.yaml": (".Values.scheduler.enabled", {
        "Deployment": [*workload("scheduler", 10362, ".Values.scheduler", "cpu: 50m, memory: 64Mi", "memory: 1Gi", SCHEDULER_ARGUMENTS),
                       *of_deployment(".Values.scheduler")],
        "NetworkPolicy": SCRAPERS}),
    "scheduler-full/rights.yaml": (f"and .Values.scheduler.enabled ({IS_FULL})", {}),
    "rescheduler/rights.yaml": (".Values.rescheduler.enabled", {}),
    "rescheduler/guard.yaml": (".Values.rescheduler.enabled", {}),
    "rescheduler/deployment.yaml": (".Values.rescheduler.enabled", {
        "Deployment": [*workload("rescheduler", 10363, ".Values.rescheduler", "cpu: 10m, memory: 48Mi", "memory: 1Gi",
                                 RESCHEDULER_ARGUMENTS, RESCHEDULER_VOLUMES), *of_deployment(".Values.rescheduler")],
        "NetworkPolicy": [*SCRAPERS, WEBHOOK_PORT]}),
    "rescheduler-webhook/webhook.yaml": (f"and .Values.rescheduler.enabled {WEBHOOK}.enabled", {
        "ValidatingWebhookConfiguration": WEBHOOK_CONFIGURATION}),
}
# One replica alone could never be drained.
CONDITIONS = {("scheduler/deployment.yaml", "PodDisruptionBudget"): "gt (int .Values.scheduler.replicas) 1",
              ("rescheduler/deployment.yaml", "PodDisruptionBudget"): "gt (int .Values.rescheduler.replicas) 1"}

# Objects that stay in kube-system, wherever the release is.
STAYS = {("rescheduler/rights.yaml", "elbowroom-rescheduler-moves")}

# What the manifests leave to people.
MORE = {"rescheduler/config.yaml": ('and .Values.rescheduler.enabled .Values.rescheduler.config', """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: elbowroom-rescheduler
  namespace: kube-system
data:
  config.yaml: |
    apiVersion: elbowroom.dev/v1alpha1
    kind: ReschedulerConfiguration
{{- range $key, $value := .Values.rescheduler.config }}
    {{ toJson $key }}: {{ toJson $value }}
{{- end }}
""")}
