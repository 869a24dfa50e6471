import files, { forTests } from './dependency-cruiser.mjs';

// A run of its own without the tests. Tests lie beside the code and import most folders.

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    {
      name: 'no-folder-cycle',
      comment:
        'Two folders import each other, directly or through others. Move what both need into a third folder.',
      severity: 'error',
      scope: 'folder',
      from: {},
      to: { circular: true },
    },
  ],
  options: { ...files.options, exclude: { path: [files.options.exclude.path, forTests] } },
};
