/** A small tracker with what faces have to get right: nested paths, parts, lists as bodies, values in two types, forms, receipts. */
export const TRACKER = `
openapi: 3.0.3
info: {title: Tracker, version: '1'}
paths:
  /projects:
    get:
      operationId: listProjects
      parameters: [{name: limit, in: query, schema: {type: integer, default: 5, maximum: 50}}, {name: offset, in: query, schema: {type: integer}}]
      responses: {'200': {description: ok, content: {application/json: {schema: {type: object, properties: {data: {type: array, items: {$ref: '#/components/schemas/Project'}}, total: {type: integer}}}}}}}
    post:
      operationId: createProject
      requestBody: {content: {application/x-www-form-urlencoded: {schema: {type: object, required: [name], properties: {name: {type: string}, due: {anyOf: [{type: integer}, {type: string, enum: [now]}]}, settings: {anyOf: [{$ref: '#/components/schemas/Settings'}, {type: string, enum: ['']}]}}}}}}
      responses: {'201': {description: made, content: {application/json: {schema: {$ref: '#/components/schemas/Project'}}}}}
  /projects/{projectId}:
    parameters: [{name: projectId, in: path, required: true, schema: {type: string}}]
    get: {operationId: getProject, responses: {'200': {description: ok, content: {application/json: {schema: {$ref: '#/components/schemas/Project'}}}}}}
    patch:
      operationId: changeProject
      requestBody: {content: {application/json: {schema: {type: object, properties: {name: {type: string}, labels: {type: array, items: {type: string}}, settings: {$ref: '#/components/schemas/Settings'}}}}}}
      responses: {'200': {description: ok, content: {application/json: {schema: {$ref: '#/components/schemas/Project'}}}}}
    delete:
      operationId: deleteProject
      responses: {'200': {description: gone, content: {application/json: {schema: {type: object, required: [id, deleted], properties: {id: {type: string}, deleted: {type: boolean}}}}}}}
  /projects/{projectId}/archive:
    parameters: [{name: projectId, in: path, required: true, schema: {type: string}}]
    post: {operationId: archiveProject, responses: {'200': {description: ok, content: {application/json: {schema: {$ref: '#/components/schemas/Project'}}}}}}
  /projects/{projectId}/issues:
    parameters: [{name: projectId, in: path, required: true, schema: {type: string}}]
    get: {operationId: listIssues, responses: {'200': {description: ok, content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/Issue'}}}}}}}
    post:
      operationId: createIssue
      requestBody: {content: {application/json: {schema: {type: object, required: [title], properties: {title: {type: string}, body: {type: string}}}}}}
      responses: {'201': {description: made, content: {application/json: {schema: {$ref: '#/components/schemas/Issue'}}}}}
  /projects/{projectId}/issues/{number}:
    parameters: [{name: projectId, in: path, required: true, schema: {type: string}}, {name: number, in: path, required: true, schema: {type: integer}}]
    get: {operationId: getIssue, responses: {'200': {description: ok, content: {application/json: {schema: {$ref: '#/components/schemas/Issue'}}}}}}
    put:
      operationId: replaceIssue
      requestBody: {content: {application/json: {schema: {type: object, properties: {title: {type: string}, state: {type: string, enum: [open, doing, closed]}}}}}}
      responses: {'200': {description: ok, content: {application/json: {schema: {$ref: '#/components/schemas/Issue'}}}}}
    patch:
      operationId: changeIssue
      requestBody: {content: {application/json: {schema: {type: object, properties: {title: {type: string}, state: {type: string, enum: [open, doing, closed]}}}}}}
      responses: {'200': {description: ok, content: {application/json: {schema: {$ref: '#/components/schemas/Issue'}}}}}
  /projects/{projectId}/issues/{number}/frobnicate:
    parameters: [{name: projectId, in: path, required: true, schema: {type: string}}, {name: number, in: path, required: true, schema: {type: integer}}]
    post: {operationId: frobnicateIssue, responses: {'200': {description: ok, content: {application/json: {schema: {$ref: '#/components/schemas/Issue'}}}}}}
  /labels:
    get: {operationId: listLabels, responses: {'200': {description: ok, content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/Label'}}}}}}}
    post:
      operationId: createLabel
      requestBody: {content: {application/json: {schema: {type: object, required: [name], properties: {name: {type: string}, colour: {type: string}}}}}}
      responses: {'201': {description: made, content: {application/json: {schema: {$ref: '#/components/schemas/Label'}}}}}
  /labels/{name}:
    parameters: [{name: name, in: path, required: true, schema: {type: string}}]
    get: {operationId: getLabel, responses: {'200': {description: ok, content: {application/json: {schema: {$ref: '#/components/schemas/Label'}}}}}}
  /projects/{projectId}/issues/{number}/labels:
    parameters: [{name: projectId, in: path, required: true, schema: {type: string}}, {name: number, in: path, required: true, schema: {type: integer}}]
    get: {operationId: labelsOfIssue, responses: {'200': {description: ok, content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/Label'}}}}}}}
    post:
      operationId: addLabels
      requestBody: {content: {application/json: {schema: {oneOf: [{type: object, properties: {labels: {type: array, items: {type: string}}}}, {type: array, items: {type: string}}]}}}}
      responses: {'200': {description: ok, content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/Label'}}}}}}
    put:
      operationId: setLabels
      requestBody: {content: {application/json: {schema: {type: object, properties: {labels: {type: array, items: {type: string}}}}}}}
      responses: {'200': {description: ok, content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/Label'}}}}}}
    delete: {operationId: clearLabels, responses: {'204': {description: gone}}}
  /projects/{projectId}/issues/{number}/labels/{name}:
    parameters: [{name: projectId, in: path, required: true, schema: {type: string}}, {name: number, in: path, required: true, schema: {type: integer}}, {name: name, in: path, required: true, schema: {type: string}}]
    delete: {operationId: removeLabel, responses: {'200': {description: ok, content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/Label'}}}}}}}
  /tags:
    get: {operationId: listTags, responses: {'200': {description: ok, content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/Tag'}}}}}}}
    post:
      operationId: createTags
      requestBody: {content: {application/json: {schema: {type: array, items: {type: object, required: [title], properties: {title: {type: string}, weight: {type: integer}, colours: {type: array, items: {type: string}}}}}}}}
      responses: {'201': {description: made, content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/Tag'}}}}}}
  /tags/{tagId}:
    get:
      operationId: getTag
      parameters: [{name: tagId, in: path, required: true, schema: {type: string}}]
      responses: {'200': {description: ok, content: {application/json: {schema: {$ref: '#/components/schemas/Tag'}}}}}
  /weather:
    get: {operationId: weather, responses: {'200': {description: ok, content: {text/plain: {schema: {type: string}}}}}}
components:
  schemas:
    Settings: {type: object, properties: {theme: {type: string}, notify: {type: object, properties: {mail: {type: boolean}}}}}
    Project:
      type: object
      required: [id, name]
      properties: {id: {type: string}, name: {type: string}, due: {type: integer, format: unix-time}, archived: {type: boolean}, labels: {type: array, items: {type: string}}, settings: {$ref: '#/components/schemas/Settings'}}
    Issue:
      type: object
      required: [number, title, state]
      properties: {number: {type: integer}, title: {type: string}, body: {type: string, nullable: true}, state: {type: string, enum: [open, doing, closed]}}
    Label: {type: object, required: [name], properties: {name: {type: string}, colour: {type: string}}}
    Tag:
      type: object
      required: [id, title]
      properties: {id: {type: string}, title: {type: string}, weight: {type: integer}, colours: {type: array, items: {type: string}}}
`;
