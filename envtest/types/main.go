// Prints facts about the built-in API types as JSON: for each root kind its definition, and for each definition reachable from one the Go
// structs' fields and the OpenAPI schema, without descriptions. `packages/sandbox/src/builtin/types/generate.ts` keeps them as files.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strings"

	admissionv1 "k8s.io/api/admission/v1"
	extensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	extensionsserver "k8s.io/apiextensions-apiserver/pkg/apiserver"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	openapinamer "k8s.io/apiserver/pkg/endpoints/openapi"
	aggregatorscheme "k8s.io/kube-aggregator/pkg/apiserver/scheme"
	"k8s.io/kube-openapi/pkg/builder3/util"
	"k8s.io/kube-openapi/pkg/common"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/controlplane"
	"k8s.io/kubernetes/pkg/generated/openapi"
)

var roots = []string{
	"v1 Namespace Node Pod Service Endpoints ConfigMap Secret ServiceAccount Event Binding PodTemplate ReplicationController LimitRange ResourceQuota",
	"v1 PersistentVolume PersistentVolumeClaim",
	"v1 PodStatusResult ComponentStatus Status DeleteOptions APIResourceList APIGroupList APIGroup APIVersions WatchEvent",
	"meta.k8s.io/v1 Status PartialObjectMetadata PartialObjectMetadataList Table",
	"discovery.k8s.io/v1 EndpointSlice",
	"coordination.k8s.io/v1 Lease",
	"apps/v1 Deployment ReplicaSet StatefulSet DaemonSet ControllerRevision",
	"rbac.authorization.k8s.io/v1 Role ClusterRole RoleBinding ClusterRoleBinding",
	"apiextensions.k8s.io/v1 CustomResourceDefinition ConversionReview",
	"admissionregistration.k8s.io/v1 MutatingWebhookConfiguration ValidatingWebhookConfiguration",
	"admissionregistration.k8s.io/v1 MutatingAdmissionPolicy MutatingAdmissionPolicyBinding",
	"admissionregistration.k8s.io/v1 ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding",
	"admission.k8s.io/v1 AdmissionReview",
	"networking.k8s.io/v1 ServiceCIDR IPAddress Ingress IngressClass NetworkPolicy",
	"authentication.k8s.io/v1 TokenRequest TokenReview SelfSubjectReview",
	"authorization.k8s.io/v1 SubjectAccessReview SelfSubjectAccessReview LocalSubjectAccessReview SelfSubjectRulesReview",
	"autoscaling/v1 Scale HorizontalPodAutoscaler",
	"autoscaling/v2 HorizontalPodAutoscaler",
	"batch/v1 Job CronJob",
	"certificates.k8s.io/v1 CertificateSigningRequest",
	"events.k8s.io/v1 Event",
	"flowcontrol.apiserver.k8s.io/v1 FlowSchema PriorityLevelConfiguration",
	"node.k8s.io/v1 RuntimeClass",
	"policy/v1 Eviction PodDisruptionBudget",
	"resource.k8s.io/v1 DeviceClass ResourceClaim ResourceClaimTemplate ResourceSlice",
	"scheduling.k8s.io/v1 PriorityClass",
	"storage.k8s.io/v1 CSIDriver CSINode CSIStorageCapacity StorageClass VolumeAttachment VolumeAttributesClass",
	"apiregistration.k8s.io/v1 APIService",
}

type field struct {
	Go      string   `json:"go"`
	Pointer bool     `json:"pointer,omitempty"`
	Omit    string   `json:"omit,omitempty"`
	Inline  []string `json:"inline,omitempty"`
	Name    string   `json:"-"`
	Schema  any      `json:"schema,omitempty"`
}

// fields keeps the order of Go.
type fields []field

func (f fields) MarshalJSON() ([]byte, error) {
	var b strings.Builder
	b.WriteByte('{')
	for i, one := range f {
		if i > 0 {
			b.WriteByte(',')
		}
		value, err := json.Marshal(one)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%q:%s", one.Name, value)
	}
	b.WriteByte('}')
	return []byte(b.String()), nil
}

type definition struct {
	GoName string         `json:"goName"`
	GoType string         `json:"goType"`
	Fields fields         `json:"fields,omitempty"`
	Schema map[string]any `json:"schema,omitempty"`
}

type walker struct {
	openAPI     map[string]common.OpenAPIDefinition
	namer       *openapinamer.DefinitionNamer
	definitions map[string]*definition
}

func main() {
	schemes := []*runtime.Scheme{legacyscheme.Scheme, extensionsserver.Scheme, aggregatorscheme.Scheme}
	// Not served, but told to webhooks.
	if err := admissionv1.AddToScheme(legacyscheme.Scheme); err != nil {
		panic(err)
	}
	w := &walker{
		namer:       openapinamer.NewDefinitionNamer(schemes...),
		definitions: map[string]*definition{},
	}
	w.openAPI = openapi.GetOpenAPIDefinitions(func(name string) spec.Ref {
		return spec.MustCreateRef("#/components/schemas/" + common.EscapeJsonPointer(name))
	})
	kinds := map[string]string{}
	for _, line := range roots {
		words := strings.Fields(line)
		gv, err := schema.ParseGroupVersion(words[0])
		if err != nil {
			panic(err)
		}
		for _, kind := range words[1:] {
			for _, name := range []string{kind, kind + "List"} {
				gvk := gv.WithKind(name)
				for _, scheme := range schemes {
					if !scheme.Recognizes(gvk) {
						continue
					}
					object, err := scheme.New(gvk)
					if err != nil {
						panic(err)
					}
					kinds[words[0]+" "+name] = w.walk(reflect.TypeOf(object).Elem())
					break
				}
			}
		}
	}
	// Of no version, but in every OpenAPI document.
	kinds["v1 Patch"] = w.walk(reflect.TypeOf(metav1.Patch{}))
	kinds["apiextensions.k8s.io/v1 ConversionReview"] = w.walk(reflect.TypeOf(extensionsv1.ConversionReview{}))
	// What only the schema of the whole refers to.
	for again := true; again; {
		again = false
		for _, one := range w.definitions {
			for _, name := range referred(one) {
				if w.definitions[name] == nil {
					w.definitions[name] = &definition{Schema: w.schemaOf(name)}
					again = true
				}
			}
		}
	}
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(map[string]any{"kinds": kinds, "definitions": w.definitions}); err != nil {
		panic(err)
	}
}

// walk notes a struct and what it holds; the name of its definition.
func (w *walker) walk(t reflect.Type) string {
	name := definitionName(t)
	if w.definitions[name] != nil {
		return name
	}
	one := &definition{GoName: t.Name(), GoType: t.String()}
	w.definitions[name] = one
	one.Schema = w.schemaOf(name)
	if scalarOf(t) == "" {
		one.Fields = w.fieldsOf(t, nil)
		properties, _ := one.Schema["properties"].(map[string]any)
		for i := range one.Fields {
			one.Fields[i].Schema = properties[one.Fields[i].Name]
			delete(properties, one.Fields[i].Name)
		}
		if len(properties) == 0 {
			delete(one.Schema, "properties")
		}
	}
	return name
}

func (w *walker) fieldsOf(t reflect.Type, inline []string) fields {
	var all fields
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" || f.PkgPath != "" {
			continue
		}
		if f.Anonymous && name == "" {
			all = append(all, w.fieldsOf(f.Type, append(append([]string{}, inline...), f.Name))...)
			continue
		}
		if name == "" {
			name = f.Name
		}
		one := field{Name: name, Inline: inline, Pointer: f.Type.Kind() == reflect.Pointer, Go: w.expression(f.Type)}
		for _, option := range strings.Split(options, ",") {
			switch option {
			case "omitzero":
				one.Omit = "zero"
			case "omitempty":
				if one.Omit == "" {
					one.Omit = "empty"
				}
			case "", "inline":
			default:
				panic(t.String() + "." + name + ": " + option)
			}
		}
		all = append(all, one)
	}
	return all
}

// expression writes a type: `[]T`, `map[K]T`, `name=T` for a name that Go gives to something that is no struct, `@definition`, or a scalar.
func (w *walker) expression(t reflect.Type) string {
	if t.Kind() == reflect.Pointer {
		return w.expression(t.Elem())
	}
	if scalar := scalarOf(t); scalar != "" {
		if t.String() == scalar {
			return scalar
		}
		w.walkSchema(t)
		return t.String() + "=" + scalar
	}
	prefix := ""
	if t.PkgPath() != "" {
		prefix = t.String() + "="
	}
	switch t.Kind() {
	case reflect.Struct:
		return "@" + w.walk(t)
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return prefix + "bytes"
		}
		return prefix + "[]" + w.expression(t.Elem())
	case reflect.Map:
		key := t.Key().String()
		if key != "string" {
			prefix = t.String() + "="
		}
		return prefix + "{}" + w.expression(t.Elem())
	case reflect.String:
		return prefix + "string"
	case reflect.Bool:
		return prefix + "boolean"
	case reflect.Int32, reflect.Int64, reflect.Float64:
		return prefix + t.Kind().String()
	}
	panic("a type of an unforeseen kind: " + t.String())
}

func (w *walker) walkSchema(t reflect.Type) {
	name := definitionName(t)
	if _, known := w.openAPI[name]; known && w.definitions[name] == nil {
		w.definitions[name] = &definition{Schema: w.schemaOf(name)}
	}
}

var unmarshaler = reflect.TypeFor[json.Unmarshaler]()

// scalarOf names what a type with a JSON form of its own is.
func scalarOf(t reflect.Type) string {
	if !reflect.PointerTo(t).Implements(unmarshaler) {
		return ""
	}
	switch t.String() {
	case "resource.Quantity":
		return "quantity"
	case "intstr.IntOrString":
		return "intOrString"
	case "v1.Time":
		return "time"
	case "v1.MicroTime":
		return "microTime"
	case "v1.Duration":
		return "duration"
	case "v1.JSONSchemaPropsOrArray", "v1.JSONSchemaPropsOrBool", "v1.JSONSchemaPropsOrStringArray", "v1.JSON", "v1.FieldsV1", "runtime.RawExtension":
		return "any"
	case "v1.JSONSchemaProps":
		return ""
	}
	panic("a type with an unforeseen JSON form: " + t.String())
}

type named interface{ OpenAPIModelName() string }

func definitionName(t reflect.Type) string {
	if one, ok := reflect.New(t).Interface().(named); ok {
		return one.OpenAPIModelName()
	}
	path := strings.Split(t.PkgPath(), "/")
	domain := strings.Split(path[0], ".")
	for i, j := 0, len(domain)-1; i < j; i, j = i+1, j-1 {
		domain[i], domain[j] = domain[j], domain[i]
	}
	path[0] = strings.Join(domain, ".")
	return strings.Join(append(path, t.Name()), ".")
}

func (w *walker) schemaOf(name string) map[string]any {
	one, known := w.openAPI[name]
	if !known {
		return nil
	}
	whole := one.Schema
	_, extensions := w.namer.GetDefinitionName(name)
	merged := spec.Extensions{}
	for key, value := range whole.Extensions {
		if key != common.ExtensionV2Schema {
			merged[key] = value
		}
	}
	for key, value := range extensions {
		merged[key] = value
	}
	whole.Extensions = merged
	text, err := json.Marshal(util.WrapRefs(&whole))
	if err != nil {
		panic(err)
	}
	var result map[string]any
	if err := json.Unmarshal(text, &result); err != nil {
		panic(err)
	}
	return withoutDescriptions(result).(map[string]any)
}

func withoutDescriptions(value any) any {
	switch value := value.(type) {
	case []any:
		for i := range value {
			value[i] = withoutDescriptions(value[i])
		}
	case map[string]any:
		if _, is := value["description"].(string); is {
			delete(value, "description")
		}
		for key := range value {
			value[key] = withoutDescriptions(value[key])
		}
	}
	return value
}

func referred(value any) []string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	var names []string
	for _, part := range strings.Split(string(text), `"#/components/schemas/`)[1:] {
		names = append(names, part[:strings.IndexByte(part, '"')])
	}
	return names
}
